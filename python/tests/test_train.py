"""Training runs and comparisons."""

import pathlib
import random
from typing import Any

import pytest

import locus


def config(folder: pathlib.Path) -> dict[str, dict[str, Any]]:
    """A classifier of texts by their first word."""
    rng = random.Random(1)
    lines = [f"{word} dog{rng.randrange(9)}\t{word}" for word in ("good", "bad") for _ in range(40)]
    (folder / "texts.tsv").write_text("\n".join(lines) + "\n")
    return {
        "model": {"head": "sequence_class", "width": 16, "layers": 1, "heads": 2, "scheme": {"name": "alibi"}},
        "data": {"train": str(folder / "texts.tsv"), "batch_size": 8},
        "train": {"steps": 30, "learning_rate": 0.01},
    }


def test_a_run_is_trained_and_resumed(tmp_path: pathlib.Path) -> None:
    settings = config(tmp_path)
    seen: list[locus.Step] = []

    def stop(step: locus.Step) -> None:
        seen.append(step)
        if step.step == 10:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        locus.train(settings, tmp_path / "run", on_step=stop, progress=False)
    run = locus.train(settings, tmp_path / "run", on_step=seen.append)
    assert [step.step for step in seen] == list(range(1, 31))
    assert run.steps == 30 and seen[-1].loss < seen[0].loss
    assert "<svg" in run.page and run._repr_html_().startswith("<iframe")
    whole = locus.train(settings, tmp_path / "whole", progress=False)
    texts = ["good dog1", "bad dog2"]
    assert locus.Classifier(run.folder)(texts) == locus.Classifier(whole.folder)(texts)
    assert [one.label for one in locus.Classifier(run.folder)(texts)] == ["good", "bad"]


def test_a_run_is_trained_further(tmp_path: pathlib.Path) -> None:
    run = locus.train(config(tmp_path), tmp_path / "run", progress=False)
    longer = locus.train(out=tmp_path / "longer", set={"train.steps": 40}, continued=run.folder, progress=False)
    seen: list[locus.Step] = []
    same = locus.train(set={"train.steps": 40}, continued=run.folder, on_step=seen.append, progress=False)
    assert [step.step for step in seen] == list(range(31, 41))
    assert (same.folder, same.steps, longer.steps) == (run.folder, 40, 40)
    texts = ["good dog1", "bad dog2"]
    assert locus.Classifier(same.folder)(texts) == locus.Classifier(longer.folder)(texts)
    with pytest.raises(locus.Error, match="alibi.*cannot|cannot be continued"):
        locus.train(set={"model.width": 32}, continued=run.folder)
    with pytest.raises(locus.Error, match="config and out"):
        locus.train(set={"train.steps": 40})


def test_errors_of_a_configuration_are_reported_together(tmp_path: pathlib.Path) -> None:
    settings = config(tmp_path)
    with pytest.raises(locus.Error, match="(?s)widht.*-3"):
        locus.train(settings, tmp_path / "run", {"model.widht": 3, "train.steps": -3}, progress=False)
    with pytest.raises(FileNotFoundError):
        locus.train(tmp_path / "none.toml", tmp_path / "run")


def test_a_comparison_is_a_table_and_a_page(tmp_path: pathlib.Path) -> None:
    small = dict(schemes="none,alibi", tasks="back", length=8, lengths="16", steps=5, seeds=1, progress=False)
    found = locus.compare(tmp_path / "study", **small)  # type: ignore[arg-type]
    assert found.table["scheme"].count("alibi") == 2
    assert set(found.table["length"]) == {8, 16}
    assert len({len(column) for column in found.table.values()}) == 1
    assert found.sentences and "<svg" in found.page and found._repr_html_().startswith("<iframe")
    grown = locus.compare(tmp_path / "study", schemes="none,alibi,t5", progress=False)
    assert "t5" in grown.table["scheme"] and grown.table["value"][:1] == found.table["value"][:1]
    fitted = locus.compare(tmp_path / "fitted", budget="10m", **small)  # type: ignore[arg-type]
    assert fitted.table["value"] == found.table["value"]
    with pytest.raises(locus.Error, match="budget.*soon.*90s"):
        locus.compare(tmp_path / "other", budget="soon", progress=False)
    with pytest.raises(locus.Error, match=r"0\.01 s"):
        locus.compare(tmp_path / "other", budget="0.01s", progress=False)
    with pytest.raises(locus.Error, match="shemes"):
        locus.compare(tmp_path / "other", shemes="none")
