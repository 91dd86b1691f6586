import WebArchive
print(Checksum.of([1,2,3]))
