"""A domain of our own in the shape of τ-bench: a library that lends books, as a Python tool file with a world."""

WORLD = {
    "books": {"b1": {"title": "Dune", "lent_to": None}, "b2": {"title": "Emma", "lent_to": "u2"}},
    "users": {"u1": {"name": "Ana"}, "u2": {"name": "Bo"}},
}
BOOK = {"type": "object", "properties": {"book_id": {"type": "string"}}, "required": ["book_id"]}
LENT = {
    "type": "object",
    "properties": {"book_id": {"type": "string"}, "user_id": {"type": "string"}},
    "required": ["book_id", "user_id"],
}


def lend_book(arguments, world):
    book = world["books"][arguments["book_id"]]
    if book["lent_to"]:
        return {"error": "the book is lent"}
    book["lent_to"] = arguments["user_id"]
    return book


def return_book(arguments, world):
    world["books"][arguments["book_id"]]["lent_to"] = None
    return {"returned": True}


def register_tools(registry):
    registry.register_toolset("library", "Lend books and take them back.", world=WORLD)
    for name, handler, parameters in (("lend_book", lend_book, LENT), ("return_book", return_book, BOOK)):
        schema = {"description": f"{name}.", "parameters": parameters}
        registry.register(name=name, toolset="library", schema=schema, handler=handler)
