// load_and_print loads a robot and prints what it is: load_and_print models/iiwa14.urdf
package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	"tenon"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(path string) error {
	robot, err := tenon.LoadModel(path, nil)
	if err != nil {
		return err
	}
	defer robot.Close()
	fmt.Printf("%s: %d joints, nq %d, nv %d, %.1f kg\n", robot.Name(), robot.JointCount(), robot.Nq(), robot.Nv(),
		robot.TotalMass())
	tree, err := robot.Describe()
	if err != nil {
		return err
	}
	fmt.Print(tree)
	for i := range robot.JointCount() {
		joint, err := robot.Joint(i)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s, from %.2f to %.2f\n", joint.Name, joint.Type, joint.Lower, joint.Upper)
	}

	work, err := tenon.NewWorkspace(robot, nil, nil)
	if err != nil {
		return err
	}
	defer work.Close()
	q, err := work.Random(1)
	if err != nil {
		return err
	}
	if err := work.Kinematics(q, nil, nil); err != nil {
		return err
	}
	pose, err := work.LinkPose(robot.LinkCount() - 1)
	if err != nil {
		return err
	}
	fmt.Printf("the last link is at %.3f %.3f %.3f\n", pose[0], pose[1], pose[2])
	held, err := work.GravityForce(q)
	texts := make([]string, len(held))
	for i, tau := range held {
		texts[i] = fmt.Sprintf("%.2f", tau)
	}
	fmt.Println("held against gravity by", strings.Join(texts, " "))
	return err
}
