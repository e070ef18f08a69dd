array = memoryview(b"six by")
