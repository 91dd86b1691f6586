from pathlib import Path
from .results import Results
def write_documents(results: Results, folder: Path, readme: Path | None) -> None:
    pass
