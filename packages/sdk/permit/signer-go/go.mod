module example.com/weir-signer

go 1.22
