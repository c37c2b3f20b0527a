// Creates assets in a process of their own: the pages of `/docs` take seconds of CPU, for which the service would answer nobody.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { AssetName } from '../../shared/base/wire/route.ts'
import { writeAsset } from '../bundle/assets.ts'

/** The others are copied, which is quicker than to start a process. */
const APART: readonly AssetName[] = ['openapi.json', 'docs.json']

const PROGRAM = fileURLToPath(new URL('write-asset.ts', import.meta.url))

export async function writeApart(name: AssetName, file: string): Promise<void> {
  if (!APART.includes(name)) return writeAsset(name, file)
  const env = { ...process.env, NODE_COMPILE_CACHE: getCompileCacheDir() }
  const child = fork(PROGRAM, [name, file], { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  child.channel?.unref()
  child.unref()
  const end = () => child.kill() // it would learn of the end of this process only when it has loaded
  process.once('exit', end)
  const [code] = await once(child, 'exit')
  process.off('exit', end)
  if (code !== 0) throw new Error(`the process that makes ${name} ended with ${code}`)
}
