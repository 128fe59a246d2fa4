"""Completion scripts: bash accepts and runs them; what they offer is what the command has."""

import shutil
import subprocess

import pytest

import kinetrace as kt
from kinetrace.algorithms.registry.declaration import ALGORITHMS
from kinetrace.cli import COMMAND_MODULES, main
from kinetrace.cli.completion import SHELLS


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    path = tmp_path_factory.mktemp("completion") / "kinetrace.bash"
    with path.open("w") as file, pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", file)
        assert main(["completion", "bash"]) == 0
    return path


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_commands_options_robots_algorithms_and_files(script, tmp_path):
    (tmp_path / "my_arm.urdf").touch()
    lines = {
        "kinetrace ": {*COMMAND_MODULES},
        "kinetrace ver": {"verify"},
        "kinetrace info pan": {"panda"},
        "kinetrace info ": {*kt.robot_names(), "my_arm.urdf"},
        "kinetrace info my": {"my_arm.urdf"},
        "kinetrace info panda --base fr": {"free"},
        "kinetrace info panda --closures my": {"my_arm.urdf"},
        "kinetrace doctor panda --f": {"--fix"},
        "kinetrace diff panda my": {"my_arm.urdf"},
        "kinetrace diff panda --t": {"--tolerance"},
        "kinetrace codegen panda inverse_dyn": {x for x in ALGORITHMS if x.startswith("inverse_dyn")},
        "kinetrace completion ": {*SHELLS},
    }
    ask = "; ".join(
        f"COMP_WORDS=({line} {'' if line[-1] != ' ' else chr(34) * 2}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); "
        "COMPREPLY=(); _shtab_kinetrace; echo ${COMPREPLY[@]}"
        for line in lines
    )
    told = subprocess.run(
        ["bash", "--norc", "-c", f"source {script}; complete -p kinetrace; {ask}"],
        capture_output=True, text=True, cwd=tmp_path, timeout=120,
    )  # fmt: skip
    assert told.stderr == "" and told.returncode == 0
    declared, *found = told.stdout.splitlines()
    assert "_shtab_kinetrace kinetrace" in declared
    assert [set(x.split()) for x in found] == list(lines.values())


def test_every_shell_has_a_script_that_knows_every_command(capsys):
    for shell in ("zsh", "fish", "tcsh", "powershell"):
        assert main(["completion", shell]) == 0
        text = capsys.readouterr().out
        assert all(
            name in text for name in (*COMMAND_MODULES, "two_pandas_beam" if shell in ("zsh", "fish") else "kinetrace")
        )
    with pytest.raises(SystemExit):
        main(["completion", "dos"])
    assert "bash" in capsys.readouterr().err
