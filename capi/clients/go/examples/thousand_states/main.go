// thousand_states computes a thousand states of Atlas on both feet in one call, then some of them 50 ms on:
// thousand_states models/atlas.urdf
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
	feet, err := tenon.NewConstraints(robot)
	if err != nil {
		return err
	}
	for _, foot := range []string{"l_foot", "r_foot"} {
		if _, err := feet.AddWeld(robot.MustLink(foot), nil, nil); err != nil {
			return err
		}
	}
	threads := tenon.DefaultBatchOptions()
	threads.Threads = 2
	batch, err := tenon.NewBatch[float64](robot, feet, &threads)
	if err != nil {
		return err
	}
	defer batch.Close()
	work, err := tenon.NewWorkspace(robot, feet, nil)
	if err != nil {
		return err
	}
	defer work.Close()

	const states = 1000
	nq, nv, m := batch.Nq(), batch.Nv(), batch.M()
	var q []float64
	for seed := range uint64(states) {
		one, err := work.Random(seed)
		if err != nil {
			return err
		}
		q = append(q, one...)
	}
	zero := work.Zeros() // velocities and torques, the same for all
	qdd, lambda, _, err := batch.ConstrainedDynamics(nil, q, zero, zero, nil, nil)
	if err != nil {
		return err
	}
	fmt.Printf("%d states of %s: nq %d, nv %d, %d rows\n", states, robot.Name(), nq, nv, m)
	fmt.Printf("the left foot of state 7 is pushed up by %.1f N\n", lambda[7*m+5])

	single, _, err := work.ConstrainedDynamics(nil, q[7*nq:8*nq], zero, zero, nil, nil)
	if err != nil {
		return err
	}
	largest, difference := 0.0, 0.0
	for i, acceleration := range single {
		largest = max(largest, math.Abs(acceleration))
		difference = max(difference, math.Abs(acceleration-qdd[7*nv+i]))
	}
	fmt.Println("agrees with a single call:", difference <= 1e-8*largest)

	steps := tenon.DefaultRolloutOptions[float64]()
	steps.Dt, steps.Steps, steps.Every = 0.001, 50, 50
	_, after, err := batch.Rollout(&steps, q[:16*nq], zero, zero, nil)
	fastest := 0.0
	for _, v := range after {
		fastest = max(fastest, math.Abs(v))
	}
	fmt.Printf("after 50 ms the fastest joint of 16 states turns at %.1f rad/s\n", fastest)
	return err
}
