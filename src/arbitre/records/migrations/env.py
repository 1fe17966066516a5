"""What Alembic runs: the steps, on the connection that the store hands over."""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(connection=connection, transactional_ddl=False)  # the store has begun the one transaction of all steps
with context.begin_transaction():
    context.run_migrations()
