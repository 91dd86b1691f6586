// SPDX-License-Identifier: Apache-2.0

extension RandomAccessCollection<UInt8> where Index == Int {
    /// Returns the place of the first occurrence of a word; nil without one.
    ///
    /// It compares bytes in a loop: the search of any collection for another takes some hundred times as long.
    func firstPlace(of word: [UInt8]) -> Int? {
        guard let first = word.first else { return startIndex }
        guard count >= word.count else { return nil }
        for place in startIndex...(endIndex - word.count) where self[place] == first {
            var length = 1
            while length < word.count, self[place + length] == word[length] { length += 1 }
            if length == word.count { return place }
        }
        return nil
    }
}
