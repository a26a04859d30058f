import ArgumentParser
import Foundation
import Inspector
import Reports
import Workspace

/// How a subcommand answers: as text for people, or in its stable form for programs.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Answer in the stable JSON form.")
    var json = false

    /// Prints one of the two forms; the other is not made.
    func print(_ report: @autoclosure () -> Report, masking: Masking = Masking(), _ list: (inout Listing) -> Void) {
        var text: String
        if json {
            text = report().json
        } else {
            var listing = Listing(masking: masking)
            list(&listing)
            text = listing.text
        }
        text.withUTF8 { FileHandle.standardOutput.write(Data($0)) }
    }
}
