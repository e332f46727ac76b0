module safenpy.test/gonpy

go 1.23

require (
	github.com/kshedden/gonpy v0.0.0-20210519231815-fa3c8dd8e59b
	safenpy.test/adapter v0.0.0
)

replace safenpy.test/adapter => ../shared/go
