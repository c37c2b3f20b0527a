import { SESv2Client } from '@aws-sdk/client-sesv2'
import { clientConfig, sharedClient } from './clients.ts'

/** Long, because a mail that SES accepts after the deadline is sent twice. */
const REQUEST_MS = 5_000

export const ses = (): SESv2Client => sharedClient('sesv2', () => new SESv2Client(clientConfig(REQUEST_MS)))

// For dynamic imports of this file: importing the package itself would bundle all of it.
export { SendEmailCommand } from '@aws-sdk/client-sesv2'
