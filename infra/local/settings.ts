// The settings of `npm start`, and messages for failures that the developer can fix.
import { resolve } from 'node:path'
import { DirectoryInUse, OtherFormat } from './disk.ts'

export type Settings = {
  /** As the developer wrote it, for messages. */
  shownDirectory: string
  directory: string
  /** 0 takes a free one. */
  apiPort: number
  appPort: number
  /** Of the stand-in for providers. */
  providersPort: number
  speed: number
  /** Makes the OpenAPI document and the documentation soon after the start, not when somebody first opens them. */
  docsAhead: boolean
}

/** A setting has an invalid value. */
class WrongSetting extends Error {}

const dataDirectory = ({ COUNTERSIGN_DATA_DIR = '.countersign' }: NodeJS.ProcessEnv): string => COUNTERSIGN_DATA_DIR

export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const speed = Number(env.COUNTERSIGN_SPEED ?? '1')
  if (!(speed > 0 && speed < Infinity)) throw new WrongSetting('COUNTERSIGN_SPEED must be a number above 0.')
  return {
    shownDirectory: dataDirectory(env),
    directory: resolve(dataDirectory(env)),
    apiPort: port(env, 'API_PORT', 8_787),
    appPort: port(env, 'APP_PORT', 8_788),
    providersPort: port(env, 'PROVIDERS_PORT', 8_789),
    speed,
    docsAhead: docsAhead(env),
  }
}

function docsAhead({ COUNTERSIGN_DOCS: when = 'ahead' }: NodeJS.ProcessEnv): boolean {
  if (when !== 'ahead' && when !== 'on-demand') throw new WrongSetting('COUNTERSIGN_DOCS must be ahead or on-demand.')
  return when === 'ahead'
}

function port(env: NodeJS.ProcessEnv, name: string, otherwise: number): number {
  const text = env[name]?.trim() ?? ''
  if (text === '') return otherwise
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > 65_535)
    throw new WrongSetting(`${name} must be a port from 0 (any free one) to 65535.`)
  return value
}

/** SQLite codes for a database that cannot be written or opened. */
const SQLITE_UNUSABLE = [8, 14]

/** A sentence for causes outside the program, else the stack. */
export function explain(error: unknown, env: NodeJS.ProcessEnv): string {
  const directory = resolve(dataDirectory(env))
  if (!(error instanceof Error)) return String(error)
  if (error instanceof WrongSetting) return error.message
  if (error instanceof DirectoryInUse) return `Countersign is already running on ${directory}.`
  if (error instanceof OtherFormat)
    return `The data in ${directory} were written by another version of Countersign; delete them, or set COUNTERSIGN_DATA_DIR to another directory.`
  // Members that Node adds to errors of sockets, files and SQLite.
  const { code, port: taken, path, errcode } = error as NodeJS.ErrnoException & { port?: number; errcode?: number }
  if (taken !== undefined && code === 'EADDRINUSE')
    return `Port ${taken} is taken; set API_PORT, APP_PORT or PROVIDERS_PORT to another one (0: any free one).`
  if (taken !== undefined && code === 'EACCES')
    return `Port ${taken} may not be opened by this user; set API_PORT, APP_PORT or PROVIDERS_PORT to one above 1023 (0: any free one).`
  if (path?.startsWith(directory) || SQLITE_UNUSABLE.includes((errcode ?? 0) & 0xff))
    return `The directory ${directory} cannot be used (${error.message}); set COUNTERSIGN_DATA_DIR to another one.`
  return error.stack ?? error.message
}
