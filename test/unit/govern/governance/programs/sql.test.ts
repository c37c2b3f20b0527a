import { describe, expect, test } from 'vitest'
import { queryWrites } from '../../../../../shared/govern/governance/programs/find.ts'
import { readsOnly } from '../../../../../shared/govern/governance/programs/sql.ts'

const WRITING = [
  'DELETE FROM users',
  'delete/**/from users',
  'UPDATE users SET admin = true',
  'INSERT INTO users VALUES (1)',
  'drop table users',
  'TRUNCATE users',
  'alter table users add x int',
  'CREATE USER x',
  'GRANT ALL ON users TO bob ',
  'WITH gone AS (DELETE FROM users RETURNING *) SELECT * FROM gone',
  'EXPLAIN ANALYZE DELETE FROM users',
  'SELECT * INTO copy FROM users',
  'SELECT 1; DROP TABLE users',
  "SELECT * FROM t WHERE a = '\\'; DROP TABLE users --'",
  "SELECT * FROM t WHERE a = '\\''; DROP TABLE users",
  "SELECT E'\\'' # 1; DROP TABLE users",
  'SELECT /*!50000 1; */ * FROM t',
  'SELECT 1--1; DELETE FROM users',
  'CALL purge_users()',
  '-- harmless\nDELETE FROM users',
  '  (DELETE FROM users)',
  // What cannot be read in one way only is not proven to read.
  'SELECT last_update FROM t -- delete later',
  'SELECT 1 /* drop table */',
  'SELECT $$ drop table x $$ FROM t WHERE b = 1',
]

const READING = [
  'SELECT * FROM users',
  "SELECT * FROM log WHERE action = 'delete; update'",
  'SELECT "update" FROM t',
  'SELECT * FROM users;',
  "SELECT 'it''s; fine' FROM t",
  'WITH x AS (SELECT 1) SELECT * FROM x',
  'EXPLAIN SELECT * FROM users',
  'EXPLAIN (FORMAT JSON) SELECT 1',
  'EXPLAIN QUERY PLAN SELECT 1',
  'DESCRIBE users',
  'SHOW CREATE TABLE users',
  'VALUES (1, 2), (3, 4)',
  '(SELECT 1) UNION ALL (SELECT 2)',
  'WITH a(b, c) AS (SELECT 1, 2), d AS MATERIALIZED (SELECT 2) SELECT * FROM a JOIN d ON a.b = d.c',
  "SELECT a::text, b->>'x' FROM t WHERE c @> '{}' AND d = $1",
  'SELECT cast(a AS varchar(10)) FROM [dbo].[users]',
  'SELECT t.update FROM t',
]

describe('a field named sql or statement', () => {
  test.each(WRITING)('%j writes', (text) => {
    expect(readsOnly(text)).toBe(false)
  })

  test.each(READING)('%j only reads', (text) => {
    expect(readsOnly(text)).toBe(true)
  })
})

describe('a field named query', () => {
  test.each(WRITING)('%j writes', (text) => {
    expect(queryWrites(text)).toBe(true)
  })

  test.each(['mutation { deleteUser(id: 1) { id } }', 'query A { a } mutation B { b }', 'MATCH (n) DETACH DELETE n'])(
    'other languages write too: %j',
    (text) => {
      expect(queryWrites(text)).toBe(true)
    },
  )

  test.each([
    ...READING,
    'update on the project',
    'delete my account',
    'how to drop a course',
    'create a report; then send it',
    'explain how to delete a branch',
    'match the colours and set the table',
    'select a plan',
    'query { user { id } }',
    'gene mutation in mice',
    'grant funding for schools',
    '',
  ])('%j only asks', (text) => {
    expect(queryWrites(text)).toBe(false)
  })
})
