import Foundation
import MigrationEngine
import StoreFormats

extension ReportWriter {
    /// A value in the form that ``Report/show(_:in:reveal:)`` documents.
    ///
    /// It is as secret as the entries that it was made from.
    func value(_ value: Value, at address: Address, from sources: [Address] = []) -> Value {
        self.value(value, SecretContext([address] + sources), depth: 0, (budget, searchBudget))
    }

    private func value(
        _ value: Value, _ context: SecretContext, depth: Int, _ budgets: (show: DecodingBudget, search: DecodingBudget)
    ) -> Value {
        guard depth < Secrets.depthLimit else {
            return .dictionary([("type", .string(value.typeName)), ("tooDeep", .bool(true))])
        }
        func part(_ value: Value, _ context: SecretContext) -> Value {
            self.value(value, context, depth: depth + 1, budgets)
        }
        var fields: [(Name, Value)] = [("type", .string(value.typeName))]
        switch value {
        case .array(let elements): fields.append(("value", .array(elements.map { part($0, context) })))
        case .set(let set): fields.append(("value", .array(set.elements.map { part($0, context) })))
        case .dictionary(let members):
            let inner = reveals ? context : context.entering(archive: value, depth: depth, within: budgets.search)
            fields.append(("value", self.members(members, inner, part)))
            if !members.duplicateKeys.isEmpty { fields.append(("duplicateKeys", .strings(members.duplicateKeys.map(\.text)))) }
        case .object(let object):
            fields.append(("class", .string(object.className)))
            fields.append(("value", members(object.fields, context, part)))
        default:
            if !reveals, Secrets.holdsSecret(value, context, depth: depth, within: budgets.search) {
                fields.append(("masked", .bool(true)))
                if let length = Secrets.length(of: value) { fields.append(("length", .count(length))) }
            } else {
                fields += Self.scalar(value)
            }
        }
        guard reveals || !context.isKeychain, let recognition = value.recognition(within: budgets.show) else {
            return .dictionary(fields)
        }
        if let decoded = recognition.decoded {
            let inner = self.value(
                decoded.value, context, depth: depth + 1, (budgets.show.inner, budgets.search.inner))
            var description: [(Name, Value)] = [("format", .string(decoded.formats.last?.rawValue ?? ""))]
            if decoded.formats.count > 1 { description.append(("formats", .strings(decoded.formats.map(\.rawValue)))) }
            fields.append(("decoded", .dictionary(description + [("value", inner)])))
        } else if recognition.isOverBudget, let problem = recognition.problem {
            fields.append(("notDecoded", sentence("\(problem)")))
        }
        return .dictionary(fields)
    }

    private func members(
        _ members: Members, _ context: SecretContext, _ part: (Value, SecretContext) -> Value
    ) -> Value {
        .dictionary(Members(members.map { Member(key: $0.key, value: part($0.value, context.entering($0.key.text))) }))
    }

    private static func scalar(_ value: Value) -> [(Name, Value)] {
        switch value {
        case .data(let data): [("value", .string(data.base64EncodedString()))]
        case .date(let date):
            if let text = date.iso8601 {
                [("value", .string(text))]
            } else {
                [("value", .null), ("secondsSinceReference", .string("\(date.secondsSinceReference)"))]
            }
        case .uid(let number): [("value", .integer(Int128(number)))]
        case .reference(let number): [("value", .count(number))]
        default: [("value", value)]
        }
    }
}
