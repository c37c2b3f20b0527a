// The providers that every tenant can connect without describing their API.
import { github } from './github.ts'
import { gitlab } from './gitlab.ts'
import { googleCalendar, googleDrive, googleMail } from './google.ts'
import { hubspot } from './hubspot.ts'
import { jira } from './jira.ts'
import { linear } from './linear.ts'
import { microsoft } from './microsoft.ts'
import { notion } from './notion.ts'
import { pagerduty } from './pagerduty.ts'
import type { Provider } from './provider.ts'
import { salesforce } from './salesforce.ts'
import { slack } from './slack.ts'
import { zendesk } from './zendesk.ts'

export const CATALOGUE: readonly Provider[] = [
  github,
  gitlab,
  googleCalendar,
  googleDrive,
  googleMail,
  hubspot,
  jira,
  linear,
  microsoft,
  notion,
  pagerduty,
  salesforce,
  slack,
  zendesk,
]

const byId = new Map(CATALOGUE.map((provider) => [provider.id, provider]))

export const providerOf = (id: string): Provider | undefined => byId.get(id)
