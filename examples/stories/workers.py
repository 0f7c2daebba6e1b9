"""Scores texts in a pool of processes. One result is missing, and nobody says why."""
import multiprocessing


def words(text):
    return [word for word in text.split() if word.isalpha()]


def score(text):
    found = words(text)
    return sum(len(word) for word in found) / len(found)


def safe_score(text):
    try:
        return score(text)
    except Exception:
        return None


def main():
    texts = ["a plain text", "another one here", "404 500", "the last"]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(safe_score, texts))


if __name__ == "__main__":
    main()
