@testable import Inspector

/// Screens that are looked at line by line.
protocol DrawnScreens {}

extension DrawnScreens {
    func lines(_ inspected: Inspected) -> [String] { inspected.model.render().rows }
}
