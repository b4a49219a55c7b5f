module tenontest

go 1.25.0

require tenon v0.0.0

require github.com/ebitengine/purego v0.11.3 // indirect

replace tenon => ../../../../capi/clients/go
