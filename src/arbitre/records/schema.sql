-- A new data folder, made from records/tables.py: `make schema` writes this file, and a test compares.
CREATE TABLE alembic_version (
    version_num VARCHAR(32) NOT NULL,
    CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE accounts (
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    folded TEXT NOT NULL,
    neutral TEXT NOT NULL,
    password TEXT,
    role TEXT NOT NULL,
    created BIGINT NOT NULL,
    banned TEXT,
    quota INTEGER,
    erased BOOLEAN DEFAULT 0 NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (folded),
    UNIQUE (neutral)
);
CREATE TABLE analyses (
    number INTEGER NOT NULL,
    "match" TEXT NOT NULL,
    state TEXT NOT NULL,
    who TEXT NOT NULL,
    line TEXT NOT NULL,
    turn INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    judge TEXT NOT NULL,
    until DOUBLE NOT NULL,
    tries INTEGER NOT NULL,
    document BLOB,
    PRIMARY KEY (number),
    UNIQUE ("match")
);
CREATE TABLE analysts (
    name TEXT NOT NULL,
    "key" TEXT NOT NULL,
    until DOUBLE NOT NULL,
    PRIMARY KEY (name)
);
CREATE TABLE commits (
    store TEXT NOT NULL,
    number BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (store)
);
CREATE TABLE counts (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    span INTEGER NOT NULL,
    taken INTEGER NOT NULL,
    until BIGINT NOT NULL,
    PRIMARY KEY (kind, name, span)
);
CREATE TABLE file_games (
    game TEXT NOT NULL,
    number INTEGER NOT NULL,
    content BLOB NOT NULL,
    request BLOB NOT NULL,
    changed BIGINT NOT NULL,
    PRIMARY KEY (game)
);
CREATE TABLE heartbeats (
    node TEXT NOT NULL,
    incarnation INTEGER NOT NULL,
    seen DOUBLE NOT NULL,
    dismissed BOOLEAN DEFAULT 0 NOT NULL,
    going TEXT DEFAULT '' NOT NULL,
    spent TEXT DEFAULT '' NOT NULL,
    PRIMARY KEY (node)
);
CREATE TABLE house_keys (
    mark TEXT NOT NULL,
    PRIMARY KEY (mark)
);
CREATE TABLE league_games (
    number INTEGER NOT NULL,
    fingerprint BLOB NOT NULL,
    white TEXT NOT NULL,
    black TEXT NOT NULL,
    day TEXT NOT NULL,
    report BLOB NOT NULL,
    PRIMARY KEY (number),
    UNIQUE (white, black, day),
    UNIQUE (fingerprint)
);
CREATE TABLE league_outbox (
    number INTEGER NOT NULL,
    "match" TEXT NOT NULL,
    registrar TEXT NOT NULL,
    source TEXT NOT NULL,
    opponent TEXT NOT NULL,
    seat INTEGER NOT NULL,
    day TEXT NOT NULL,
    due FLOAT NOT NULL,
    report BLOB NOT NULL,
    answer TEXT,
    PRIMARY KEY (number),
    UNIQUE ("match")
);
CREATE TABLE league_versions (
    number INTEGER NOT NULL,
    fingerprint BLOB NOT NULL,
    white TEXT NOT NULL,
    black TEXT NOT NULL,
    seat INTEGER NOT NULL,
    reporter TEXT NOT NULL,
    day TEXT NOT NULL,
    report BLOB NOT NULL,
    PRIMARY KEY (number),
    UNIQUE (fingerprint, white, black, seat)
);
CREATE TABLE log_entries (
    number INTEGER NOT NULL,
    entry BLOB NOT NULL,
    PRIMARY KEY (number)
);
CREATE TABLE log_head (
    id INTEGER NOT NULL,
    origin TEXT NOT NULL,
    lineage TEXT NOT NULL,
    size BIGINT NOT NULL,
    root BLOB NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (id)
);
CREATE TABLE log_nodes (
    level INTEGER NOT NULL,
    number INTEGER NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (level, number)
);
CREATE TABLE log_pending (
    number INTEGER NOT NULL,
    entry BLOB NOT NULL,
    PRIMARY KEY (number)
);
CREATE TABLE matches (
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    game TEXT NOT NULL,
    tournament TEXT,
    fixture INTEGER,
    seed BLOB NOT NULL,
    created TEXT NOT NULL,
    verdict TEXT,
    seal TEXT,
    PRIMARY KEY (number),
    UNIQUE (name)
);
CREATE TABLE nodes (
    id TEXT NOT NULL,
    incarnation INTEGER NOT NULL,
    alive BOOLEAN DEFAULT 0 NOT NULL,
    address TEXT NOT NULL,
    sessions TEXT DEFAULT '' NOT NULL,
    PRIMARY KEY (id)
);
CREATE TABLE proofs (
    name TEXT NOT NULL,
    transcript BLOB NOT NULL,
    PRIMARY KEY (name)
);
CREATE TABLE puzzles (
    day TEXT NOT NULL,
    game TEXT NOT NULL,
    "match" TEXT NOT NULL,
    position TEXT NOT NULL,
    puzzle TEXT NOT NULL,
    PRIMARY KEY (day),
    UNIQUE (position)
);
CREATE TABLE repeats (
    token INTEGER NOT NULL,
    name TEXT NOT NULL,
    asked BLOB NOT NULL,
    node TEXT NOT NULL,
    at BIGINT NOT NULL,
    answer TEXT,
    PRIMARY KEY (token, name)
);
CREATE TABLE roles (
    role TEXT NOT NULL,
    node TEXT NOT NULL,
    PRIMARY KEY (role)
);
CREATE TABLE seats (
    "match" TEXT NOT NULL,
    seat INTEGER NOT NULL,
    name TEXT NOT NULL,
    engine INTEGER,
    account INTEGER,
    PRIMARY KEY ("match", seat)
)
 WITHOUT ROWID;
CREATE TABLE sittings (
    "match" TEXT NOT NULL,
    number INTEGER NOT NULL,
    state TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    owner INTEGER,
    title TEXT DEFAULT '' NOT NULL,
    hidden BOOLEAN DEFAULT 0 NOT NULL,
    game TEXT NOT NULL,
    shown BOOLEAN DEFAULT 0 NOT NULL,
    node TEXT,
    starter TEXT DEFAULT '' NOT NULL,
    PRIMARY KEY ("match"),
    UNIQUE (number)
);
CREATE TABLE tournaments (
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    seed BLOB NOT NULL,
    created TEXT NOT NULL,
    PRIMARY KEY (number),
    UNIQUE (name)
);
CREATE TABLE traces (
    "match" TEXT NOT NULL,
    seat INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    at TEXT NOT NULL,
    what TEXT NOT NULL,
    text TEXT NOT NULL,
    status INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY ("match", seat, sequence)
);
CREATE TABLE transitions (
    "match" TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    lines TEXT NOT NULL,
    PRIMARY KEY ("match", sequence)
);
CREATE TABLE added_games (
    id INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    game TEXT NOT NULL,
    name TEXT NOT NULL,
    folded TEXT NOT NULL,
    url TEXT NOT NULL,
    engine TEXT NOT NULL,
    interface TEXT NOT NULL,
    about TEXT NOT NULL,
    board TEXT NOT NULL,
    simultaneous BOOLEAN DEFAULT 0 NOT NULL,
    open BOOLEAN DEFAULT 0 NOT NULL,
    framed BOOLEAN DEFAULT 0 NOT NULL,
    public BOOLEAN DEFAULT 0 NOT NULL,
    fault TEXT NOT NULL,
    faulted BIGINT,
    created BIGINT NOT NULL,
    retired BIGINT,
    PRIMARY KEY (id),
    FOREIGN KEY(owner) REFERENCES accounts (id),
    UNIQUE (folded)
);
CREATE TABLE classes (
    id INTEGER NOT NULL,
    teacher INTEGER NOT NULL,
    name TEXT NOT NULL,
    code TEXT NOT NULL,
    expires BIGINT NOT NULL,
    ranges TEXT NOT NULL,
    gateway TEXT NOT NULL,
    gateway_key TEXT NOT NULL,
    created BIGINT NOT NULL,
    words TEXT DEFAULT '' NOT NULL,
    accounts_only BOOLEAN DEFAULT 0 NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(teacher) REFERENCES accounts (id),
    UNIQUE (code)
);
CREATE TABLE engines (
    id INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    game TEXT NOT NULL,
    name TEXT NOT NULL,
    folded TEXT NOT NULL,
    url TEXT NOT NULL,
    "full" BOOLEAN DEFAULT 0 NOT NULL,
    direct BOOLEAN DEFAULT 0 NOT NULL,
    notify BOOLEAN DEFAULT 0 NOT NULL,
    login TEXT NOT NULL,
    public BOOLEAN DEFAULT 0 NOT NULL,
    opponent TEXT NOT NULL,
    fault TEXT NOT NULL,
    faulted BIGINT,
    created BIGINT NOT NULL,
    retired BIGINT,
    digest TEXT,
    PRIMARY KEY (id),
    UNIQUE (game, folded),
    FOREIGN KEY(owner) REFERENCES accounts (id),
    UNIQUE (opponent),
    UNIQUE (digest)
);
CREATE TABLE interfaces (
    id INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    game TEXT NOT NULL,
    name TEXT NOT NULL,
    folded TEXT NOT NULL,
    url TEXT NOT NULL,
    public BOOLEAN DEFAULT 0 NOT NULL,
    own_origin BOOLEAN DEFAULT 0 NOT NULL,
    fault TEXT NOT NULL,
    faulted BIGINT,
    created BIGINT NOT NULL,
    retired BIGINT,
    PRIMARY KEY (id),
    UNIQUE (game, folded),
    FOREIGN KEY(owner) REFERENCES accounts (id)
);
CREATE TABLE invitations (
    id INTEGER NOT NULL,
    digest TEXT NOT NULL,
    "match" TEXT NOT NULL,
    seat INTEGER NOT NULL,
    inviter INTEGER,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    accepted BIGINT,
    guest INTEGER,
    PRIMARY KEY (id),
    UNIQUE (digest),
    FOREIGN KEY(inviter) REFERENCES accounts (id),
    FOREIGN KEY(guest) REFERENCES accounts (id)
);
CREATE TABLE photos (
    id INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    title TEXT NOT NULL,
    game TEXT NOT NULL,
    options TEXT NOT NULL,
    state TEXT NOT NULL,
    created BIGINT NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(owner) REFERENCES accounts (id)
);
CREATE TABLE resets (
    digest TEXT NOT NULL,
    account INTEGER NOT NULL,
    expires BIGINT NOT NULL,
    PRIMARY KEY (account),
    UNIQUE (digest),
    FOREIGN KEY(account) REFERENCES accounts (id)
);
CREATE TABLE sessions (
    id INTEGER NOT NULL,
    digest TEXT NOT NULL,
    account INTEGER NOT NULL,
    created BIGINT NOT NULL,
    used BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    agent TEXT NOT NULL,
    PRIMARY KEY (id),
    UNIQUE (digest),
    FOREIGN KEY(account) REFERENCES accounts (id)
);
CREATE TABLE tokens (
    id INTEGER NOT NULL,
    digest TEXT NOT NULL,
    account INTEGER NOT NULL,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created BIGINT NOT NULL,
    used BIGINT,
    expires BIGINT,
    PRIMARY KEY (id),
    UNIQUE (digest),
    FOREIGN KEY(account) REFERENCES accounts (id)
);
CREATE TABLE challenges (
    id INTEGER NOT NULL,
    challenger INTEGER NOT NULL,
    challenged INTEGER NOT NULL,
    state TEXT NOT NULL,
    "match" TEXT,
    created BIGINT NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(challenger) REFERENCES engines (id),
    FOREIGN KEY(challenged) REFERENCES engines (id)
);
CREATE TABLE competitions (
    id INTEGER NOT NULL,
    organiser INTEGER NOT NULL,
    title TEXT NOT NULL,
    about TEXT NOT NULL,
    game TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    kind TEXT NOT NULL,
    access TEXT NOT NULL,
    class INTEGER,
    listed BOOLEAN DEFAULT 0 NOT NULL,
    code TEXT NOT NULL,
    opens BIGINT NOT NULL,
    begins BIGINT NOT NULL,
    "each" INTEGER NOT NULL,
    state TEXT NOT NULL,
    tournament TEXT,
    proof TEXT,
    created BIGINT NOT NULL,
    patience INTEGER DEFAULT '0' NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(organiser) REFERENCES accounts (id),
    FOREIGN KEY(class) REFERENCES classes (id),
    UNIQUE (code),
    UNIQUE (tournament)
);
CREATE TABLE members (
    class INTEGER NOT NULL,
    account INTEGER NOT NULL,
    joined BIGINT NOT NULL,
    made BOOLEAN DEFAULT 0 NOT NULL,
    PRIMARY KEY (class, account),
    FOREIGN KEY(class) REFERENCES classes (id),
    FOREIGN KEY(account) REFERENCES accounts (id)
);
CREATE TABLE sources (
    number INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    game TEXT NOT NULL,
    name TEXT NOT NULL,
    folded TEXT NOT NULL,
    language TEXT NOT NULL,
    lent TEXT NOT NULL,
    code TEXT,
    engine INTEGER,
    created BIGINT NOT NULL,
    PRIMARY KEY (number),
    UNIQUE (owner, folded),
    FOREIGN KEY(owner) REFERENCES accounts (id),
    UNIQUE (code),
    FOREIGN KEY(engine) REFERENCES engines (id)
);
CREATE TABLE arrivals (
    competition INTEGER NOT NULL,
    fixture INTEGER NOT NULL,
    account INTEGER NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (competition, fixture, account),
    FOREIGN KEY(competition) REFERENCES competitions (id),
    FOREIGN KEY(account) REFERENCES accounts (id)
);
CREATE TABLE changes (
    id INTEGER NOT NULL,
    competition INTEGER NOT NULL,
    at BIGINT NOT NULL,
    field TEXT NOT NULL,
    "before" TEXT NOT NULL,
    "after" TEXT NOT NULL,
    PRIMARY KEY (id),
    FOREIGN KEY(competition) REFERENCES competitions (id)
);
CREATE TABLE entries (
    id INTEGER NOT NULL,
    competition INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    engine INTEGER,
    neutral TEXT NOT NULL,
    created BIGINT NOT NULL,
    withdrawn BIGINT,
    PRIMARY KEY (id),
    UNIQUE (competition, neutral),
    FOREIGN KEY(competition) REFERENCES competitions (id),
    FOREIGN KEY(owner) REFERENCES accounts (id),
    FOREIGN KEY(engine) REFERENCES engines (id)
);
CREATE TABLE versions (
    source INTEGER NOT NULL,
    number INTEGER NOT NULL,
    at BIGINT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (source, number),
    FOREIGN KEY(source) REFERENCES sources (number)
);
CREATE TABLE votes (
    competition INTEGER NOT NULL,
    account INTEGER NOT NULL,
    entry INTEGER NOT NULL,
    PRIMARY KEY (competition, account),
    FOREIGN KEY(competition) REFERENCES competitions (id),
    FOREIGN KEY(account) REFERENCES accounts (id),
    FOREIGN KEY(entry) REFERENCES entries (id)
);
CREATE INDEX added_games_by_owner ON added_games (owner);
CREATE INDEX analyses_by_state ON analyses (state, turn, number);
CREATE INDEX challenges_by_challenged ON challenges (challenged);
CREATE INDEX challenges_by_challenger ON challenges (challenger);
CREATE INDEX changes_by_competition ON changes (competition);
CREATE INDEX classes_by_teacher ON classes (teacher);
CREATE INDEX competitions_by_organiser ON competitions (organiser);
CREATE INDEX competitions_by_state ON competitions (state);
CREATE INDEX engines_by_owner ON engines (owner);
CREATE INDEX entries_by_owner ON entries (owner);
CREATE INDEX interfaces_by_owner ON interfaces (owner);
CREATE INDEX invitations_by_inviter ON invitations (inviter);
CREATE INDEX invitations_by_match ON invitations ("match");
CREATE INDEX league_outbox_by_opponent ON league_outbox (opponent, seat, day);
CREATE INDEX log_entries_by_entry ON log_entries (entry);
CREATE INDEX matches_by_tournament ON matches (tournament, fixture);
CREATE INDEX members_by_account ON members (account);
CREATE INDEX photos_by_owner ON photos (owner);
CREATE INDEX seats_by_engine ON seats (engine);
CREATE INDEX seats_by_name ON seats (lower(name));
CREATE INDEX sessions_by_account ON sessions (account);
CREATE INDEX sittings_by_owner ON sittings (owner);
CREATE INDEX sittings_by_starter ON sittings (starter, state);
CREATE INDEX sittings_by_state ON sittings (state, number);
CREATE INDEX tokens_by_account ON tokens (account);
INSERT INTO alembic_version VALUES ('0007');
