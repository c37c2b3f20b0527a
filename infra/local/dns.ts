// Stand-in for public DNS: answers TXT queries over UDP from a file that it reads for each query, so a developer sets a
// record by editing the file: `{"_countersign-verify.acme.example": ["token=…"]}`.
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { readFileSync, writeFileSync } from 'node:fs'
import { AUTHORITATIVE_ANSWER, decode, encode, type TxtAnswer } from 'dns-packet'
import * as z from 'zod'

/** A value may also be a list of strings, which form one record. */
const Records = z.record(z.string(), z.array(z.union([z.string(), z.array(z.string())])))

export type Dns = { server: string; close: () => Promise<void> }

const TTL_SECONDS = 1
const NAME_ERROR = 3
const SERVER_FAILURE = 2

/** Listens on a free port. Creates the file when it is missing. */
export async function startDns(file: string): Promise<Dns> {
  makeOnce(file)
  const socket = createSocket('udp4')
  socket.on('message', (question, from) => sendAnswer(socket, from, answerTo(question, file)))
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return {
    server: `127.0.0.1:${socket.address().port}`,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

function makeOnce(file: string): void {
  try {
    writeFileSync(file, '{}\n', { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function sendAnswer(socket: Socket, { port, address }: RemoteInfo, answer: Uint8Array): void {
  socket.send(answer, port, address)
}

function answerTo(message: Uint8Array, file: string): Uint8Array {
  const { id = 0, questions = [] } = decode(Buffer.from(message))
  const [question] = questions
  const respond = (code: number, answers: TxtAnswer[] = []) =>
    encode({ type: 'response', id, flags: AUTHORITATIVE_ANSWER | code, questions, answers })
  const records = readRecords(file)
  if (!records || !question) return respond(SERVER_FAILURE)
  const values = Object.entries(records).find(([name]) => name.toLowerCase() === question.name.toLowerCase())?.[1]
  if (!values) return respond(NAME_ERROR)
  if (question.type !== 'TXT') return respond(0)
  return respond(
    0,
    values.map((data) => ({ type: 'TXT' as const, name: question.name, ttl: TTL_SECONDS, data: strings(data) })),
  )
}

/** Undefined while the file is not valid, for example while it is being edited. */
function readRecords(file: string): z.output<typeof Records> | undefined {
  try {
    return Records.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}

const STRING_BYTES_MAX = 255

/** A record splits its text into strings of at most 255 bytes. */
const strings = (value: string | string[]): string[] =>
  Array.isArray(value) ? value : (value.match(new RegExp(`.{1,${STRING_BYTES_MAX}}`, 'gs')) ?? [''])
