import TestSupport

typealias Scratch = TemporaryFolder
typealias Tree = TestSupport.Tree
