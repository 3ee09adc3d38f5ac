"""A database of a business: the views that make one graph of its tables, as its keys suggest them."""

import sqlite3
from contextlib import closing

import pytest

from fourfold import ForeignSchema, Retriever
from fourfold.errors import SchemaDetectionError
from fourfold.questions import Questions

TABLES = """
    CREATE TABLE employees (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, photo BLOB,
        manager_id INTEGER REFERENCES employees(id));
    CREATE TABLE customers (id INTEGER PRIMARY KEY, company TEXT, city TEXT);
    CREATE TABLE products (sku TEXT PRIMARY KEY, name TEXT, description TEXT, price REAL);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers,
        "approved by" INTEGER REFERENCES employees(id), status TEXT);
    CREATE TABLE order_items (order_id INTEGER REFERENCES orders(id), sku TEXT REFERENCES products(sku), n INTEGER);
    CREATE TABLE tickets (id INTEGER PRIMARY KEY, subject TEXT, body TEXT, customer_id INTEGER REFERENCES customers);
    CREATE TABLE log (line TEXT);
    INSERT INTO employees VALUES (1, 'Ann', 'Lee', x'00', NULL), (2, 'Bo', 'Ray', NULL, 1);
    INSERT INTO customers VALUES (1, 'Fjord Tours', 'Bergen'), (2, 'Alp Shop', NULL);
    INSERT INTO products VALUES ('T1', 'Polar Tent', 'For two.', 489.0), ('R1', 'Summit Rope', NULL, 99.5);
    INSERT INTO orders VALUES (17, 1, 2, 'open'), (18, 2, 1, NULL), (19, NULL, NULL, 'new');
    INSERT INTO order_items VALUES (17, 'T1', 2), (18, 'R1', 1), (18, 'T1', 1), (19, NULL, 1);
    INSERT INTO tickets VALUES (5, 'Pole broke', 'It snapped.', 1);
"""
SCHEMA = ForeignSchema(
    node_table="nodes", id="id", name="name", type="type", text="text",
    edge_table="edges", source="source", target="target", edge_type="type",
)  # fmt: skip


def views_made(path):
    """Make the views that the error suggests, and return their SQL."""
    with pytest.raises(SchemaDetectionError, match="`views` of this error has the SQL") as caught:
        Retriever.open_foreign(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(caught.value.views)
    return caught.value.views


def test_the_error_has_the_views_and_they_make_a_graph(tmp_path):
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(TABLES)
    views_made(path)
    with Retriever.open_foreign(path, SCHEMA) as graph:
        nodes = {node.id: (node.name, node.type, node.text) for node in graph.get(graph.manifest())}
        assert nodes == {
            "employee:1": ("Ann Lee", "employee", ""),
            "employee:2": ("Bo Ray", "employee", ""),
            "customer:1": ("Fjord Tours", "customer", "city: Bergen"),
            "customer:2": ("Alp Shop", "customer", ""),
            "product:T1": ("Polar Tent", "product", "For two.; price: 489.0"),
            "product:R1": ("Summit Rope", "product", "price: 99.5"),
            "order:17": ("Order 17", "order", "status: open"),
            "order:18": ("Order 18", "order", ""),
            "order:19": ("Order 19", "order", "status: new"),
            "ticket:5": ("Ticket 5: Pole broke", "ticket", "It snapped."),
        }
        assert {(e.source, e.type, e.target) for e in graph.edges(nodes)} == {
            ("employee:2", "manager", "employee:1"),
            ("order:17", "customer", "customer:1"),
            ("order:18", "customer", "customer:2"),
            ("order:17", "approved_by", "employee:2"),
            ("order:18", "approved_by", "employee:1"),
            ("order:17", "order_items", "product:T1"),
            ("order:18", "order_items", "product:R1"),
            ("order:18", "order_items", "product:T1"),
            ("ticket:5", "customer", "customer:1"),
        }
        assert Questions(graph).ask("who approved order 17?").headline().startswith("Bo Ray: Order 17")
    with Retriever.open_foreign(path) as found:
        assert len(found) == 10  # the views are recognised by their names


def test_without_foreign_keys_nothing_is_suggested(tmp_path):
    with closing(sqlite3.connect(tmp_path / "plain.db")) as connection, connection:
        connection.execute("CREATE TABLE log (line TEXT)")
    with pytest.raises(SchemaDetectionError) as caught:
        Retriever.open_foreign(tmp_path / "plain.db")
    assert caught.value.views == "" and "views" not in str(caught.value)


@pytest.mark.parametrize("things", ["items", "articles", "documents"])
def test_a_table_that_keys_join_with_others_is_not_read_alone_because_of_its_name(tmp_path, things):
    """The products of a shop were all of its graph, without one edge, where their table was called items."""
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(TABLES.replace("products", things))
    views_made(path)
    with Retriever.open_foreign(path) as graph:
        assert len(graph) == 10 and graph.info()["edges"] == 9


@pytest.mark.parametrize(
    "other",
    [
        "CREATE TABLE embeddings (id INTEGER PRIMARY KEY, document_id INTEGER REFERENCES documents, embedding TEXT)",
        "CREATE TABLE users (id INTEGER PRIMARY KEY); CREATE TABLE visits (id INTEGER PRIMARY KEY, u REFERENCES users)",
    ],
    ids=["vectors of its own", "tables that have nothing to do with it"],
)
def test_a_table_of_documents_beside_others_is_read_alone(tmp_path, other):
    path = tmp_path / "texts.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(f"CREATE TABLE documents (id INTEGER PRIMARY KEY, title TEXT, body TEXT); {other};")
        connection.execute("INSERT INTO documents VALUES (1, 'Tides', 'The moon pulls at the sea.')")
    with Retriever.open_foreign(path) as graph:
        assert graph.search("moon").ids == ["1"]


def test_nobody_loses_the_name_or_shares_an_id(tmp_path):
    """Who has no middle name had no name at all; the first of *user* and the first of *users* were one node."""
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript("""
            CREATE TABLE users (id INTEGER PRIMARY KEY, first_name TEXT, middle_name TEXT, last_name TEXT);
            CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT, merged_into INTEGER REFERENCES users(id));
            CREATE TABLE tickets (id INTEGER PRIMARY KEY, subject TEXT, users_id INTEGER REFERENCES users(id));
            INSERT INTO users VALUES (1, 'Ann', NULL, 'Lee'), (2, 'Bo', 'M.', 'Ray');
            INSERT INTO user VALUES (1, 'ann', 1);
            INSERT INTO tickets VALUES (5, NULL, 2);
        """)
    views_made(path)
    with Retriever.open_foreign(path, SCHEMA) as graph:
        names = {node.id: node.name for node in graph.get(graph.manifest())}
        assert names == {"users:1": "Ann Lee", "users:2": "Bo M. Ray", "user:1": "ann", "ticket:5": "Ticket 5"}
        ends = {(edge.source, edge.target) for edge in graph.edges(names)}
        assert ends == {("user:1", "users:1"), ("ticket:5", "users:2")}


def test_tables_of_composite_keys_are_in_the_views_and_those_without_a_key_are_named(tmp_path):
    """What an order holds was in neither view where its lines said more than how many, and nothing told."""
    path = tmp_path / "lines.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript("""
            CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT);
            CREATE TABLE products (sku TEXT PRIMARY KEY, name TEXT);
            CREATE TABLE order_lines (order_id INTEGER REFERENCES orders(id), sku TEXT REFERENCES products(sku),
                n INTEGER, note TEXT, PRIMARY KEY (order_id, sku));
            CREATE TABLE parcels (id INTEGER PRIMARY KEY, carrier TEXT, order_id INTEGER, sku TEXT,
                FOREIGN KEY (order_id, sku) REFERENCES order_lines(order_id, sku));
            CREATE TABLE scans (id INTEGER PRIMARY KEY, order_id INTEGER, sku TEXT, n INTEGER,
                FOREIGN KEY (order_id, sku) REFERENCES order_lines(order_id, sku));
            CREATE TABLE log (order_id INTEGER REFERENCES orders(id), line TEXT);
            INSERT INTO orders VALUES (17, 'open');
            INSERT INTO scans VALUES (9, 17, 'T1', 2);
            INSERT INTO products VALUES ('T1', 'Polar Tent');
            INSERT INTO order_lines VALUES (17, 'T1', 2, 'gift wrap');
            INSERT INTO parcels VALUES (3, 'DHL', 17, 'T1'), (4, 'UPS', 17, NULL);
        """)
    views = views_made(path)
    assert views.startswith("-- Left out, as no primary key tells their rows apart: log.\n")
    with Retriever.open_foreign(path, SCHEMA) as graph:
        (line,) = graph.get(["order_line:17:T1"])
        assert (line.name, line.text) == ("Order line 17:T1", "n: 2; gift wrap")
        assert {(edge.source, edge.type, edge.target) for edge in graph.edges(graph.manifest())} == {
            ("order:17", "order_lines", "product:T1"),
            ("order_line:17:T1", "order", "order:17"),
            ("order_line:17:T1", "product", "product:T1"),
            ("parcel:3", "order_line", "order_line:17:T1"),
            ("scan:9", "order_line", "order_line:17:T1"),
        }
        assert graph.search("which order wants a gift wrap", k=3).ids[0] in ("order_line:17:T1", "order:17")


def test_a_column_may_be_part_of_several_keys_and_a_key_need_not_name_what_it_refers_to(tmp_path):
    """Of the keys of two columns that share the tenant one was followed, and of those without names none."""
    path = tmp_path / "tenants.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript("""
            CREATE TABLE tenants (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE addresses (tenant INTEGER REFERENCES tenants, no INTEGER, city TEXT, PRIMARY KEY (tenant, no));
            CREATE TABLE products (tenant INTEGER, Sku TEXT, name TEXT, PRIMARY KEY (tenant, Sku));
            CREATE TABLE orders (tenant INTEGER REFERENCES tenants, no INTEGER, sku TEXT, bill_to INTEGER,
                ship_to INTEGER, note TEXT, PRIMARY KEY (tenant, no),
                FOREIGN KEY (tenant, sku) REFERENCES products (tenant, sku),
                FOREIGN KEY (tenant, bill_to) REFERENCES addresses,
                FOREIGN KEY (ship_to, tenant) REFERENCES addresses (no, tenant));
            INSERT INTO tenants VALUES (1, 'Fjord Tours');
            INSERT INTO addresses VALUES (1, 7, 'Bergen'), (1, 8, 'Oslo');
            INSERT INTO products VALUES (1, 'T1', 'Polar Tent');
            INSERT INTO orders VALUES (1, 17, 'T1', 7, 8, 'gift');
        """)
    views_made(path)
    with Retriever.open_foreign(path, SCHEMA) as graph:
        assert {(edge.source, edge.type, edge.target) for edge in graph.edges(["order:1:17"])} == {
            ("order:1:17", "tenant", "tenant:1"),
            ("order:1:17", "product", "product:1:T1"),
            ("order:1:17", "bill_to", "address:1:7"),
            ("order:1:17", "ship_to", "address:1:8"),
        }


def test_columns_of_types_of_ones_own_say_something_and_keys_that_lead_elsewhere_are_named(tmp_path):
    """The state of an order, an enumeration, was in no text, and an edge to a column that is merely unique was lost."""
    path = tmp_path / "states.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript("""
            CREATE TABLE shops (id INTEGER PRIMARY KEY, code TEXT UNIQUE, name JSON);
            CREATE TABLE orders (id INTEGER PRIMARY KEY, state ORDER_STATE, extra JSON, guid UUID, scan BLOB,
                shop INTEGER REFERENCES shops, branch TEXT REFERENCES shops(code));
            INSERT INTO shops VALUES (1, 'B', 'Bergen');
            INSERT INTO orders VALUES (17, 'shipped', '{"wrap": "gift"}', 'f00f', x'00ff', 1, 'B');
        """)
    views = views_made(path)
    lost = "-- Left out, as they refer to something else than a primary key: orders (branch).\n"
    assert views.startswith(lost)
    with Retriever.open_foreign(path, SCHEMA) as graph:
        assert graph.get(["order:17"])[0].text == 'state: shipped; extra: {"wrap": "gift"}'
        assert graph.get(["shop:1"])[0].name == "Bergen"
