array = memoryview(b"six by")
array.release()
