import Foundation
import Reports
import TestSupport
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@testable import Inspector

@Suite("Pictures of frames")
struct PictureTests {
    @Test("a picture is well-formed XML whatever it shows, and refers to nothing outside of it")
    func wellFormed() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<50 {
            var frame = Frame(Size(width: 40, height: 6))
            frame.box(frame.bounds, title: "<&\">")
            for y in 0..<6 {
                frame.draw(
                    random.text(maximum: 30), at: 1, y, role: Role.allCases.randomElement(using: &random) ?? .text)
            }
            frame.cursor = Position(x: 1, y: 1)
            let svg = frame.svg(title: random.text(maximum: 20) + "<script>&")
            let parser = XMLParser(data: Data(svg.utf8))
            #expect(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "")")
            #expect(!svg.contains("<script") && !svg.contains("href") && !svg.contains("url("))
        }
    }

    @Test("each text has its own column and length, so that alignment does not depend on the font")
    func alignment() {
        var frame = Frame(Size(width: 20, height: 1))
        frame.draw("ab  cd 作 e", at: 0, 0)
        let svg = frame.svg()
        let texts = [("0", "16.8", "ab"), ("33.6", "16.8", "cd"), ("58.8", "16.8", "作"), ("84", "8.4", "e")]
        for (x, length, text) in texts {
            let place = "x=\"\(x)\" y=\"14\" textLength=\"\(length)\""
            #expect(svg.contains("<text \(place) lengthAdjust=\"spacingAndGlyphs\" fill=\"#d5dae5\">\(text)</text>"))
        }
    }

    @Test("a box character from a dump is shown too, though it is no line of the frame")
    func boxCharacters() {
        var frame = Frame(Size(width: 4, height: 1))
        frame.draw("─│", at: 0, 0)
        #expect(frame.svg().contains(">─│</text>"))
    }
}
