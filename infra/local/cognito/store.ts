// The database of the Cognito stand-in: users, token families (all tokens of one sign-in) and open challenges. Secrets of
// clients are stored as hashes only.
import type { DatabaseSync } from 'node:sqlite'
import { AwsError } from '../aws-error.ts'
import type { Attempts } from './passwords.ts'

/** Instants in milliseconds. `password` is null until one is set. */
export type User = Attempts & {
  username: string
  sub: string
  attributes: Record<string, string>
  password: string | null
  enabled: boolean
  created_at: number
  modified_at: number
}

/** `auth_time` in seconds, as tokens spell it. */
export type Family = {
  origin_jti: string
  token_hash: string
  username: string
  sub: string
  auth_time: number
  expires_at: number
  revoked: number
}

export type Challenge = { session_hash: string; username: string; parameters: string; metadata: string; until: number }

const SCHEMA = `
CREATE TABLE IF NOT EXISTS cognito_users (
  username TEXT PRIMARY KEY, sub TEXT NOT NULL UNIQUE, attributes TEXT NOT NULL, password TEXT, enabled INTEGER NOT NULL,
  created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL, failures INTEGER NOT NULL, locked_until INTEGER NOT NULL,
  attempted_at INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS cognito_families (
  origin_jti TEXT PRIMARY KEY, token_hash TEXT NOT NULL UNIQUE, username TEXT NOT NULL, sub TEXT NOT NULL,
  auth_time INTEGER NOT NULL, expires_at INTEGER NOT NULL, revoked INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS cognito_challenges (
  session_hash TEXT PRIMARY KEY, username TEXT NOT NULL, parameters TEXT NOT NULL, metadata TEXT NOT NULL,
  until INTEGER NOT NULL
)`

export type Store = ReturnType<typeof openStore>

type UserRow = Omit<User, 'attributes' | 'enabled'> & { attributes: string; enabled: number }

const userOf = (row: UserRow): User => ({ ...row, attributes: JSON.parse(row.attributes), enabled: row.enabled === 1 })
const rowOf = (user: User) => ({
  ...user,
  attributes: JSON.stringify(user.attributes),
  enabled: user.enabled ? 1 : 0,
})

const columns = (names: string) => `(${names}) VALUES (${names.replaceAll(/\w+/g, ':$&')})`
const USER_COLUMNS =
  'username, sub, attributes, password, enabled, created_at, modified_at, failures, locked_until, attempted_at'
const FAMILY_COLUMNS = 'origin_jti, token_hash, username, sub, auth_time, expires_at, revoked'
const CHALLENGE_COLUMNS = 'session_hash, username, parameters, metadata, until'

export function openStore(db: DatabaseSync) {
  db.exec(SCHEMA)
  const putUser = db.prepare(`INSERT OR REPLACE INTO cognito_users ${columns(USER_COLUMNS)}`)
  const getUser = db.prepare('SELECT * FROM cognito_users WHERE username = ?')
  const allUsers = db.prepare('SELECT * FROM cognito_users ORDER BY created_at, username')
  const dropUser = db.prepare('DELETE FROM cognito_users WHERE username = ?')
  const putFamily = db.prepare(`INSERT INTO cognito_families ${columns(FAMILY_COLUMNS)}`)
  const getFamily = db.prepare('SELECT * FROM cognito_families WHERE token_hash = ?')
  const revokeFamily = db.prepare('UPDATE cognito_families SET revoked = 1 WHERE token_hash = ?')
  const revokeAll = db.prepare('UPDATE cognito_families SET revoked = 1 WHERE sub = ?')
  const putChallenge = db.prepare(`INSERT INTO cognito_challenges ${columns(CHALLENGE_COLUMNS)}`)
  const takeChallenge = db.prepare('DELETE FROM cognito_challenges WHERE session_hash = ? RETURNING *')

  const find = (username: string): User | undefined => {
    const row = getUser.get(username) as UserRow | undefined
    return row && userOf(row)
  }
  return {
    find,
    /** Throws `UserNotFoundException`, also for another user than the one with this `sub`. */
    user: (username: string, sub?: string): User => {
      const found = find(username)
      if (found && (!sub || found.sub === sub)) return found
      throw new AwsError('UserNotFoundException', 'User does not exist.')
    },
    users: (): User[] => (allUsers.all() as UserRow[]).map(userOf),
    save: (user: User) => void putUser.run(rowOf(user)),
    remove: (username: string) => void dropUser.run(username),

    begin: (family: Family) => void putFamily.run(family),
    family: (tokenHash: string) => getFamily.get(tokenHash) as Family | undefined,
    revoke: (tokenHash: string) => void revokeFamily.run(tokenHash),
    revokeAll: (sub: string) => void revokeAll.run(sub),

    ask: (challenge: Challenge) => void putChallenge.run(challenge),
    /** Returns a challenge and deletes it. */
    take: (sessionHash: string) => takeChallenge.get(sessionHash) as Challenge | undefined,
  }
}
