module safenpy.test/adapter

go 1.21
