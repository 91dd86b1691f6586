import CAllocationCounter
import WebArchive
let a = allocations_so_far()
var x: [[UInt8]] = []
for i in 0..<1000 { x.append([UInt8](repeating: UInt8(i & 255), count: 100)) }
let b = allocations_so_far()
print(b.count - a.count, b.bytes - a.bytes, x.count)
