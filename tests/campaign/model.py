"""A model as nested dictionaries, written as a model file."""


def value(x):
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, str):
        return '"' + x.replace('"', '\\"') + '"'
    if isinstance(x, dict):
        return "{ " + ", ".join(f"{k} = {value(v)}" for k, v in x.items()) + " }"
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(value(v) for v in x) + "]"
    return repr(x)


class Model:
    def __init__(self, **sections):
        self.sections = sections

    def text(self):
        out = []
        tables = []
        for name, content in self.sections.items():
            if not isinstance(content, dict):
                out.append(f"{name} = {value(content)}")
            elif name in ("simulation", "parameters", "equations", "initial"):
                tables.append((name, content))
            else:
                tables += [(f"{name}.{k}", v) for k, v in content.items()]
        for name, content in tables:
            out.append(f"\n[{name}]")
            out += [f"{k} = {value(v)}" for k, v in content.items()]
        return "\n".join(out) + "\n"
