// The meaning of the words in action names. This file holds data only; spaces separate the words.
import type { Kind } from '../../../base/catalog/kinds.ts'

/** Verbs by kind. `unknown` lists verbs whose effect is unclear. They prevent that a name with one counts as a read. */
export const VERBS: Partial<Record<Kind, string>> = {
  read: 'get list ls read fetch view show describe lookup retrieve count return display download peek see locate enumerate',
  search: 'search find query browse grep seek explore',
  diagnose: 'diagnose check inspect test validate verify ping lint probe scan examine troubleshoot',
  analyse: `analyse analyze compare diff summarize summarise explain estimate forecast calculate preview compute assess
    audit measure predict parse interpret detect identify recognize simulate translate
    aggregate`,
  monitor: 'monitor watch track observe tail poll trace',
  suggest: 'suggest recommend propose draft advise brainstorm',
  notify: 'notify remind alert',
  write: `create add insert append prepend save upload tag label assign comment copy schedule link write store record log
    register import export attach annotate bookmark generate duplicate clone star pin subscribe backup note`,
  update: `update set edit patch rename move mark configure modify enable restore change adjust amend archive unarchive
    toggle reorder resize undelete resume pause snooze mute activate fix correct upsert alter refresh associate
    increase decrease populate`,
  email: 'email mail',
  message_external: `send post publish message tweet retweet sms call dial broadcast invite share reply forward respond
    announce transmit fax dm
    leak exfiltrate exfil dox doxx divulge smuggle spam phish telegraph`,
  delete: `delete remove destroy drop purge wipe erase truncate clear empty uninstall rm del discard trash prune shred
    unlink expunge obliterate deprovision decommission cleanup scrub
    nuke yeet zap annihilate demolish raze vaporize vaporise eradicate exterminate eliminate axe ditch junk
    scrap incinerate torch burn oust deltree rmdir mkfs`,
  payment: `pay charge refund transfer withdraw purchase buy order checkout payout bill settle reimburse remit disburse
    donate debit credit sell trade redeem repay prepay bid invest stake spend fund
    wire gift tip lend loan bribe embezzle launder siphon steal rob drain wager gamble liquidate overpay`,
  deploy: 'deploy release rollout rollback promote ship migrate redeploy undeploy provision launch upgrade downgrade',
  destructive: `overwrite replace force reset terminate kill stop shutdown restart merge close cancel disable deactivate
    revert abort reboot halt suspend quarantine evict detach expire flush unpublish void invalidate override squash rebase
    disassociate failover failback switchover smash wreck crash brick corrupt sabotage deface hijack jam choke throttle freeze sever cripple
    bork tamper falsify forge spoof fire sack expel banish kick ddos flood attack exploit hack compromise reformat ruin`,
  execute: `execute exec run invoke trigger eval shell script command spawn dispatch rerun install start boot build initiate
    sudo detonate curl wget xargs`,
  permission: `grant revoke permit authorize authorise impersonate rotate lock unlock ban unban deny block unblock elevate
    demote delegate whitelist allowlist
    assume chmod chown bypass circumvent jailbreak unmask escalate`,
  secret_read: 'decrypt unseal',
  unknown: `open submit apply push pull sync process click press tap type drag swipe navigate accept approve reject decline
    complete resolve finish join leave switch vote sign book reserve confirm claim connect disconnect play print solve
    acknowledge dismiss rebuild
    make give put take bring throw toss dump swap sneak inject expose reveal disclose tell inform break format flatten
    bin hire rent lease blow manage`,
}

/** Nouns that give an action a HARD kind, as in `create payment`. They are never verbs. */
export const NOUNS: Partial<Record<Kind, string>> = {
  email: 'newsletter',
  delete: 'deletion removal',
  payment:
    'payment transaction withdrawal payroll disbursement reimbursement settlement overpayment prepayment remittance topup',
  deploy: 'deployment hotfix',
  destructive: 'termination cancellation',
  permission: `permission privilege entitlement acl role credential password secret policy rbac iam collaborator
    apikey passkey rights ownership superuser sudoer`,
}

/** Nouns of two words. Those of a reading kind govern no access, though their last word alone does. */
export const NOUN_PHRASES: Partial<Record<Kind, string>> = {
  permission: `access key, api key, ssh key, deploy key, access token, security group, login profile, service account,
    public access, access rule, access entry, access level, access control, trust anchor`,
  payment: `pay run, pay slip, pay item, pay rate, apple pay, google pay, pay period, pay template`,
  read: `scaling policy, autoscaling policy, lifecycle policy, retention policy, backup policy, snapshot policy,
    replication policy, cache policy, routing policy, alert policy, alerting policy, notification policy,
    escalation policy, retry policy, return policy, shipping policy, refund policy, cancellation policy, insurance policy,
    sla policy, dns policy, merge request, pull request, merge base, add on, mute rule`,
}

/** Verbs that may be nouns. Beside a reading verb they name what is read (`get_order`). */
export const ALSO_NOUNS = `message post tweet retweet sms call dial broadcast invite share reply forward fax dm mail email
  order charge refund transfer purchase checkout payout bill debit credit trade bid stake fund release rollout rollback
  launch upgrade downgrade trash merge script shell command run trigger lock ban block grant permit delegate build start
  boot dispatch install whitelist allowlist comment tag label link schedule copy log record note store register import
  export upload update backup bookmark star pin clone duplicate set edit patch mark move change archive resume fix restore
  draft alert wire gift tip loan rent lease drain torch burn bin junk scrap crash break freeze fire sack kick flood attack
  exploit hack format forge jam brick compromise make take put throw dump spam swap hire axe blow process tap type drag sync switch vote sign book claim play print leave
  deploy connect refresh override`

/** Verbs that may be adjectives. Beside a reading verb they describe (`list_open_orders`); at the end of a name they act. */
export const ALSO_ADJECTIVES = `empty clear drop cleanup force reset stop shutdown restart close void abort open
  complete correct corrupt press push pull toggle pause`

/** Verbs of several words, looked up before single words. */
export const PHRASAL_VERBS: Partial<Record<Kind, string[]>> = {
  read: ['look up', 'find out'],
  write: ['set up', 'back up', 'check in', 'write down', 'fill in', 'fill out'],
  update: ['turn on', 'switch on'],
  message_external: ['reach out', 'follow up', 'call back', 'send out'],
  delete: ['get rid', 'tear down', 'take down', 'clean up', 'wipe out', 'throw away', 'clear out'],
  payment: ['check out', 'write off', 'pay out', 'pay off', 'cash out', 'top up'],
  deploy: ['roll back', 'roll out', 'spin up'],
  destructive: [
    'power off',
    'power down',
    'power cycle',
    'scale down',
    'spin down',
    'shut down',
    'turn off',
    'switch off',
    'call off',
    'bring down',
    'close out',
    'opt out',
  ],
  execute: ['power on', 'kick off', 'carry out', 'set off', 'run through'],
  permission: ['sign off', 'hand over', 'let in', 'lock out'],
  unknown: ['see to'],
}

/** One of `MAIL_VERBS` with one of `MAIL_OBJECTS` sends an e-mail. */
export const MAIL_VERBS = 'send reply forward'
export const MAIL_OBJECTS = 'mail email inbox mailbox gmail newsletter'

/** One of `NOTICE_VERBS` with one of `NOTICES` is a notification, unless one of the `CHANNELS` to the outside is named. */
export const NOTICE_VERBS = 'send post publish'
export const NOTICES = 'notification reminder alert'
export const CHANNELS = `mail email gmail outlook smtp mailbox sms mms whatsapp telegram signal slack discord teams messenger
  twitter facebook instagram linkedin reddit mastodon bluesky tiktok youtube wechat viber twilio webhook customer client
  public`

/** Categories of nodes in which every action beyond reading has at least this kind. */
export const CATEGORIES: Partial<Record<Kind, string>> = {
  payment: 'payment billing',
  email: 'mail email',
  deploy: 'deployment deploy',
}

/** A description with one of these phrases names an irreversible action. */
export const FINALITY = [
  'permanently',
  'irreversible',
  'irreversibly',
  'cannot be undone',
  "can't be undone",
  'can not be undone',
]

/** A word that may be a noun or a verb is a noun after one of these. */
export const NOUN_MARKERS = `the a an this that these those my our your his her its their all any each every some no last
  latest recent new old open pending of for in on from about by with which many per`

/** A word that may be a noun or a verb is a verb before one of these. */
export const OBJECT_MARKERS =
  'the a an this that these those my our your his her its their it them him all any each every'

/** With one of `CODE` as its object, a verb that writes deploys. */
export const CODE = 'code sourcecode bytecode binary firmware'
export const PATCHED =
  'server servers host hosts system systems instance instances node nodes vm vms machine machines os kernel cluster'
/** A person who is made one of these, or put into one of `CIRCLES`, gets rights. */
export const POWERFUL = 'admin admins administrator administrators owner owners root'
export const MEMBERS =
  'user users member members account accounts principal principals identity identities subject subjects person people'
export const CIRCLES =
  'group groups team teams organization organisation org orgs workspace tenant project role roles admins owners'
/** Another system that events are sent to. */
export const HOOKS = 'webhook webhooks hook hooks callback callbacks'

/** Participles that no ending shows. */
export const IRREGULAR =
  'paid:pay sent:send sold:sell spent:spend bought:buy lent:lend given:give taken:take thrown:throw frozen:freeze'
