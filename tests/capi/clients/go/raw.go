// The raw layer of Go does and prints what c/raw.c does: raw <libtenon.so> <atlas.urdf>.
package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"reflect"
	"unsafe"

	"tenon/raw"
)

// In the order of the C program's list, which comes on standard input.
func layouts() {
	var name string
	for {
		if n, _ := fmt.Scanln(&name); n == 0 {
			return
		}
		kind := reflect.TypeOf(raw.Structs[name])
		fmt.Print(name, " ", kind.Size())
		for i := 0; i < kind.NumField(); i++ {
			fmt.Print(" ", kind.Field(i).Offset)
		}
		fmt.Println()
	}
}

func main() {
	if err := raw.Load(os.Args[1]); err != nil {
		panic(err)
	}
	message := make([]byte, 512)
	size := uintptr(len(message))
	text := func() string { return string(message[:bytes.IndexByte(message, 0)]) }
	check := func(status int32, why func() string) {
		if status < 0 {
			panic(raw.StatusString(status) + ": " + why())
		}
	}
	layouts()
	fmt.Println("version", raw.Version(), raw.VersionString())
	fmt.Println(raw.BuildInfo())

	var options raw.ModelOptions
	var model *raw.Model
	check(raw.ModelOptionsInit(&options, unsafe.Sizeof(options)), text)
	options.Base = raw.TENON_BASE_FLOATING
	check(raw.ModelLoadUrdf(os.Args[2], &options, &model, &message[0], size), text)
	nq, nv := uintptr(raw.ModelNq(model)), uintptr(raw.ModelNv(model))
	fmt.Printf("%s: %d positions, %d velocities\n", raw.ModelName(model), nq, nv)

	index := int32(-1)
	var info raw.JointInfo
	check(raw.ModelFindJoint(model, "l_leg_kny", &index, &message[0], size), text)
	check(raw.JointInfoInit(&info, unsafe.Sizeof(info)), text)
	check(raw.ModelJointInfo(model, index, &info), text)
	fmt.Printf("%s %d: upper %016x, origin z %016x\n", raw.ModelJointName(model, index), index,
		math.Float64bits(info.Upper), math.Float64bits(info.Origin[2]))
	status := raw.ModelFindLink(model, "nowhere", &index, &message[0], size)
	fmt.Printf("%s: %s\n", raw.StatusString(status), text())

	var workspace *raw.Workspace
	check(raw.WorkspaceCreate(model, nil, nil, &workspace, &message[0], size), text)
	why := func() string { return raw.WorkspaceMessage(workspace) }
	q, v, tau, qdd := make([]float64, nq), make([]float64, nv), make([]float64, nv), make([]float64, nv)
	check(raw.Random(workspace, 7, &q[0], nq), why)
	for i := range v {
		v[i] = 0.01 * float64(i)
		tau[i] = 10.0 - 0.5*float64(i)
	}
	check(raw.ForwardDynamics(workspace, &q[0], nq, &v[0], nv, &tau[0], nv, nil, 0, &qdd[0], nv), why)
	for i, x := range qdd {
		fmt.Printf("qdd[%d] = %016x\n", i, math.Float64bits(x))
	}
	raw.WorkspaceDestroy(workspace)
	raw.ModelDestroy(model)
}
