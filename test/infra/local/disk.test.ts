import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Disk, keptSecret, openDisk } from '../../../infra/local/disk.ts'
import { temporaryDirectory } from '../../support/stand-ins.ts'

let directory: string
let disk: Disk
beforeEach(() => {
  directory = join(temporaryDirectory(), 'data')
  disk = openDisk(directory)
})
afterEach(() => {
  disk.close()
  rmSync(join(directory, '..'), { recursive: true })
})

const modeOf = (path: string) => statSync(path).mode & 0o777

test('directory and secrets are for their owner only', () => {
  disk.writeSecretFile('secret.json', { a: 1 })

  expect(modeOf(directory)).toBe(0o700)
  expect(modeOf(join(directory, 'secret.json'))).toBe(0o600)
  expect(disk.readSecretFile('secret.json')).toEqual({ a: 1 })
})

test('a kept secret is made once', () => {
  const made = keptSecret(disk, 'kept.json', () => ({ value: 'first' }))

  expect(made).toEqual({ value: 'first' })
  expect(keptSecret(disk, 'kept.json', () => ({ value: 'second' }))).toEqual(made)
})

test('no second process opens a directory in use', () => {
  const module = new URL('../../../infra/local/disk.ts', import.meta.url).href
  const program = `const { openDisk } = await import('${module}'); openDisk(${JSON.stringify(directory)})`
  const second = () => spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })

  expect(second().stderr).toContain('another process uses')
  disk.close()
  expect(second()).toMatchObject({ status: 0 })
  disk = openDisk(directory)
})
