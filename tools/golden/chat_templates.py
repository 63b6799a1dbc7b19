#!/usr/bin/env python3
"""Golden texts of chat templates: what jinja2 makes of them, set up as in transformers.

    python tools/golden/chat_templates.py tests/golden/chat      (needs jinja2)

    templates/NAME.jinja     templates in the style of model families; written for this test, small
    cases.jsonl              {"template", "input", "text"}: NAME applied to one of INPUTS; or {.., "refused": message}
                             for raise_exception, or {.., "fails": true} for any other error
    snippets.jsonl           {"source", "text"} or {"source", "fails": true}: those of chat_snippets.json, with VARIABLES
    VERSIONS                 the versions that made the files

Both .jsonl files begin with one line {"inputs": ..} or {"variables": ..}.
"""
import json
import pathlib
import platform
import sys

import jinja2
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

WEATHER = {"type": "function", "function": {
    "name": "get_weather", "description": "The weather\nof a city", "parameters": {
        "type": "object", "required": ["city"], "properties": {
            "city": {"type": "string", "description": "Name of the city, e.g. \"Köln\""},
            "unit": {"type": "string", "enum": ["°C", "F"], "description": "<unit>"},
            "days": {"type": ["integer", "null"], "description": "How many & which", "default": None}}}}}
NESTED = {"type": "function", "function": {
    "name": "find", "description": "Finds 'it'", "parameters": {
        "type": "object", "required": [], "properties": {
            "tags": {"type": "array", "items": {"type": "string"}, "description": "tags"},
            "box": {"type": "object", "additionalProperties": {"type": "number"}, "description": "a box",
                    "properties": {"w": {"type": "number"}, "h": {"type": "boolean"}}, "required": ["w"]}}}}}
SYSTEM = {"role": "system", "content": " You are a pirate. /no_think\n"}
HELLO = {"role": "user", "content": "Hello, <world> & 'you'!"}
HI = {"role": "assistant", "content": "  Hi there 👋\n"}
AGAIN = {"role": "user", "content": "\nWhat is 1 < 2?\r\n\tTell “me”.  "}
THOUGHT = {"role": "assistant", "content": "<think>\nHm.\n</think>\n\nIt is true."}
CALL = {"role": "assistant", "content": None, "tool_calls": [
    {"id": "abcdef123", "type": "function",
     "function": {"name": "get_weather", "arguments": {"city": "Köln", "days": 2, "exact": True, "x": 1.5}}}]}
ANSWER = {"role": "tool", "tool_call_id": "abcdef123", "content": "{\"sky\": \"grey\"}"}
PARTS = {"role": "user", "content": [{"type": "text", "text": " See: "}, {"type": "image"}, {"type": "text", "text": "what?"}]}

INPUTS = {
    "one": {"messages": [HELLO], "add_generation_prompt": True},
    "one-without-prompt": {"messages": [HELLO], "add_generation_prompt": False},
    "system": {"messages": [SYSTEM, HELLO], "add_generation_prompt": True},
    "turns": {"messages": [HELLO, HI, AGAIN], "add_generation_prompt": True},
    "system-turns": {"messages": [SYSTEM, HELLO, THOUGHT, AGAIN, HI], "add_generation_prompt": False},
    "tools": {"messages": [SYSTEM, HELLO], "tools": [WEATHER, NESTED], "add_generation_prompt": True},
    "calls": {"messages": [HELLO, CALL, ANSWER, HI, AGAIN], "tools": [WEATHER], "add_generation_prompt": True},
    "parts": {"messages": [PARTS], "add_generation_prompt": True},
    "documents": {"messages": [HELLO], "documents": [{"title": "A", "text": "a text"}, {"title": "Ü", "text": "b"}],
                  "add_generation_prompt": True},
    "reasoning": {"messages": [HELLO, {"role": "assistant", "content": "Yes.", "reasoning_content": "\nI think.\n"}],
                  "add_generation_prompt": False, "enable_thinking": False},
    "odd-role": {"messages": [{"role": "critic", "content": "No."}, HELLO], "add_generation_prompt": True},
    "two-users": {"messages": [HELLO, AGAIN], "add_generation_prompt": True},
    "empty": {"messages": [], "add_generation_prompt": True},
}

VARIABLES = {
    "s": "Hello, World", "u": "ÄpFel straße 👋ñ", "blank": " \t a  b c \n", "n": 7, "z": 0, "f": 2.5, "big": 1e16, "t": True, "no": False,
    "nil": None, "l": [3, 1, 2], "e": [], "d": {"b": 1, "a": 2, "C": [1, {"x": None}], "key with space": "v"},
    "m": [{"role": "user", "n": 2, "p": {"q": "x"}}, {"role": "bot", "n": 1, "p": {"q": "y"}}, {"role": "user", "p": {}}],
    "words": ["b", "A", "c", "a"], "q": "it's \"quoted\"\n\t\\ \x01 \u00a0 \u200b", "o": {"items": 1, "get": 2},
}

SNIPPETS = json.loads(pathlib.Path(__file__).with_name("chat_snippets.json").read_text(encoding="utf-8"))


class Generation(Extension):
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_text"), [], [], body).set_lineno(line)

    def _text(self, caller):
        return caller()


def refuse(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment():
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = refuse
    return env


def outcome(source, variables):
    try:
        return {"text": environment().from_string(source).render(**variables)}
    except jinja2.exceptions.TemplateError as error:
        if type(error) is jinja2.exceptions.TemplateError:
            return {"refused": str(error)}
        return {"fails": True}
    except Exception:
        return {"fails": True}


def write(file, lines):
    file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


def main(folder):
    names = {"bos_token": "<s>", "eos_token": "</s>"}
    cases = [{"inputs": INPUTS, "names": names}]
    for template in sorted((folder / "templates").glob("*.jinja")):
        source = template.read_bytes().decode()
        for name, given in INPUTS.items():
            variables = {"tools": None, "documents": None, **names, **given}
            cases.append({"template": template.stem, "input": name, **outcome(source, variables)})
    write(folder / "cases.jsonl", cases)
    write(folder / "snippets.jsonl", [{"variables": VARIABLES}] + [{"source": s, **outcome(s, VARIABLES)} for s in SNIPPETS])
    (folder / "VERSIONS").write_text(f"jinja2 {jinja2.__version__}, Python {platform.python_version()}\n")


main(pathlib.Path(sys.argv[1]))
