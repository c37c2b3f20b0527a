import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { SendEmailCommand, type SendEmailCommandInput, SESv2Client } from '@aws-sdk/client-sesv2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSes, MAIL_FOLDER } from '../../../infra/local/ses.ts'
import { type StandIns, startStandIns } from '../../support/stand-ins.ts'

let standIns: StandIns
let client: SESv2Client
beforeAll(async () => {
  standIns = await startStandIns()
  const ses = createSes(standIns.disk.directory, { now: () => Date.parse('2026-11-20T10:11:12.013Z') })
  standIns.serve({}, { ses })
  client = new SESv2Client(standIns.client)
})
afterAll(() => standIns.stop())

const input: SendEmailCommandInput = {
  FromEmailAddress: 'Countersign <no-reply@countersign.example>',
  Destination: { ToAddresses: ['ada@acme.example'] },
  Content: {
    Simple: {
      Subject: { Data: 'Hello' },
      Body: { Text: { Data: 'Go to\nhttps://a.example/x?token=1\nnow' }, Html: { Data: '<p>Hello</p>' } },
    },
  },
  EmailTags: [{ Name: 'kind', Value: 'verify_email' }],
}

test('each mail becomes a file that only its owner reads, named by time, kind and number', async () => {
  const { MessageId } = await client.send(new SendEmailCommand(input))
  await client.send(new SendEmailCommand(input))

  const folder = join(standIns.disk.directory, MAIL_FOLDER)
  expect(MessageId).toBeTruthy()
  expect(readdirSync(folder).toSorted()).toEqual([
    '20261120T101112013-verify_email-1.json',
    '20261120T101112013-verify_email-2.json',
  ])
  const file = join(folder, '20261120T101112013-verify_email-1.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    from: 'Countersign <no-reply@countersign.example>',
    to: ['ada@acme.example'],
    subject: 'Hello',
    kind: 'verify_email',
    text: 'Go to\nhttps://a.example/x?token=1\nnow',
    html: '<p>Hello</p>',
    links: ['https://a.example/x?token=1'],
  })
})

test('what is no mail is refused as SES refuses it', async () => {
  const refused = client.send(new SendEmailCommand({ ...input, FromEmailAddress: '' }))

  await expect(refused).rejects.toMatchObject({ name: 'BadRequestException' })
})
