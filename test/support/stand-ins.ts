// The AWS stand-ins by themselves, on a temporary directory, with what an SDK client needs to reach them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Actions, type AwsServer, listen } from '../../infra/local/aws-server.ts'
import { type Disk, openDisk } from '../../infra/local/disk.ts'
import { createS3, type Locked } from '../../infra/local/s3.ts'
import type { Ses } from '../../infra/local/ses.ts'
import { type TestClock, testClock } from './test-clock.ts'

export type StandIns = Pick<AwsServer, 'url' | 'answer'> & {
  disk: Disk
  clock: TestClock
  /** For the constructor of any SDK client. */
  client: { endpoint: string; region: string; credentials: { accessKeyId: string; secretAccessKey: string } }
  serve: (actions: Actions, more?: { ses?: Ses; locked?: Locked }) => void
  stop: () => Promise<void>
}

export const LOCAL_CLIENT = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } }
export const BUCKET = 'evidence'

export const temporaryDirectory = (): string => mkdtempSync(join(tmpdir(), 'countersign-'))

/** `serve` answers S3 by itself, SES when it is given, everything else by the given actions. */
export async function startStandIns(directory = temporaryDirectory()): Promise<StandIns> {
  const disk = openDisk(directory)
  const clock = testClock()
  const server = await listen()
  return {
    url: server.url,
    answer: server.answer,
    disk,
    clock,
    client: { ...LOCAL_CLIENT, endpoint: server.url },
    serve: (actions, { ses, locked } = {}) => {
      const s3 = createS3(disk.db, [BUCKET], clock.now, locked)
      server.serve(actions, (request, body) => ses?.(request, body) ?? s3(request, body))
    },
    stop: async () => {
      await server.close()
      disk.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
