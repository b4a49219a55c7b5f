// atlas welds both feet of Atlas to the ground, solves once and prints every joint acceleration, as the 64 bits of each
// number, so that programs in other languages can be compared to the last one: atlas models/atlas.urdf
package main

import (
	"fmt"
	"log"
	"math"
	"os"

	"tenon"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(path string) error {
	options := tenon.DefaultModelOptions()
	options.Base = tenon.BaseFloating
	robot, err := tenon.LoadModel(path, &options)
	if err != nil {
		return err
	}
	defer robot.Close()
	feet, err := tenon.NewConstraints(robot)
	if err != nil {
		return err
	}
	defer feet.Close()
	for _, foot := range []string{"l_foot", "r_foot"} {
		if _, err := feet.AddWeld(robot.MustLink(foot), nil, nil); err != nil {
			return err
		}
	}
	work, err := tenon.NewWorkspace(robot, feet, nil)
	if err != nil {
		return err
	}
	defer work.Close()

	q, err := work.Random(1)
	if err != nil {
		return err
	}
	v, tau := work.Zeros(), work.Zeros()
	for i := 6; i < work.Nv(); i++ {
		v[i] = 0.01 * float64(i)
		tau[i] = 10.0 - 0.5*float64(i)
	}
	qdd, _, err := work.ConstrainedDynamics(nil, q, v, tau, nil, nil)
	if err != nil {
		return err
	}
	fmt.Println(work.Status())
	for i, acceleration := range qdd {
		fmt.Printf("qdd[%d] = %016x\n", i, math.Float64bits(acceleration))
	}
	return nil
}
