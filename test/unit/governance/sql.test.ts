import { describe, expect, test } from 'vitest'
import { queryWrites, writesSql } from '../../../shared/governance/sql.ts'

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
]

const READING = [
  'SELECT * FROM users',
  "SELECT * FROM log WHERE action = 'delete; update'",
  'SELECT "update" FROM t',
  'SELECT last_update FROM t -- delete later',
  'SELECT 1 /* drop table */',
  'SELECT * FROM users;',
  "SELECT 'it''s; fine' FROM t",
  'WITH x AS (SELECT 1) SELECT * FROM x',
  'SELECT $$ drop table x $$ FROM t WHERE b = 1',
  'EXPLAIN SELECT * FROM users',
]

describe('a field named sql or statement', () => {
  test.each(WRITING)('%j writes', (text) => {
    expect(writesSql(text)).toBe(true)
  })

  // A dollar quote is a literal in one dialect only, so it proves nothing.
  test.each(READING.filter((text) => !text.includes('$$')))('%j only reads', (text) => {
    expect(writesSql(text)).toBe(false)
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
    ...READING.filter((text) => !text.includes('$$')),
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
