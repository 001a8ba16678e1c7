"""The page of the camp is up to date, and its code runs."""

import re

from tests.camp.page import BLOCK, PAGE, filled, parts


def test_generated_parts_are_up_to_date():
    page = PAGE.read_text(encoding="utf-8")
    assert {name for _, name, _ in BLOCK.findall(page)} == set(parts())
    assert filled(page) == page, "run python -m tests.camp.page"


def test_the_code_of_the_page_runs(capsys):
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    exec(compile(code, str(PAGE), "exec"), {})
    assert capsys.readouterr().out.split()[1:] in (["True", "p13"], ["False", "p13"])
