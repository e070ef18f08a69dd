@test "a folder" {
	folder=a
	ls "$folder" # a folder
}
