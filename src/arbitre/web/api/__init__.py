"""The site for programs: everything it does, as JSON, described by OpenAPI at `/api/schema/openapi.json`."""
