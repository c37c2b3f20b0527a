// How shell commands and statements that change something begin. This file holds little but data. A key is the first word; its
// expression matches the text behind it, at most 400 characters of the same line. Everyday words count only with the arguments of a
// command.

const ARGUMENT = String.raw`(?:--?\w|[~$*"'<\x60]|\.{0,2}\/|\S{1,80}\.\w)`
const FLAG = String.raw`(?:[^\n]{0,80}? )??-{1,2}\w`
const ANY = String.raw`\S`
const REMOTE = String.raw`(?:\S{1,80} ){0,3}?(?:-\w|\S{1,80}@|\S{1,80}:|[\w.-]{1,80} \d)`
const SCRIPTED = String.raw`(?:-\w|--\w|\/\w|[$"'<\x60]|\w+-\w|\.{0,2}\/|\S{1,80}\.(?:sh|py|pl|rb|php|[cm]?js|ts|ps1|bat|exe)\b|\|)`

/** Subcommands that change something. The other subcommands of these tools read. */
const CHANGES =
  String.raw`(?:\S{1,40} ){0,4}?(?:delete|del|rm|rmi|remove|destroy|apply|push|kill|stop|scale|drain|exec|install|
uninstall|publish|run|create|put|set|update|patch|replace|rollout|prune|purge|terminate|start|restart|reset|upgrade|
rollback|merge|import|cp|mv|rb|sync|add|attach|detach|write|eval|deploy|edit|cordon|login|clean|drop|flushall|config|-d|-f|--force|--delete|--hard)
(?![a-z])`.replaceAll('\n', '')

const FORMS: readonly [commands: string, following: string][] = [
  ['rm', String.raw`(?!\d|of\b|and\b|is\b)\S`],
  ['rmdir shred chmod chown chgrp chroot mkfs mkswap wipefs sudo doas pkill killall useradd userdel', ANY],
  ['usermod groupadd deluser adduser systemctl launchctl dropdb createdb icacls takeown diskpart', ANY],
  ['vssadmin wevtutil bcdedit bitsadmin rundll32 regsvr32 mshta taskkill schtasks wmic insmod modprobe', ANY],
  ['mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat iptables-restore xargs setenforce', ANY],
  ['dd', 'if=|of='],
  ['mv cp ln', String.raw`(?:-\w+ )*[\w./~$*-]{1,80} [\w./~$*-]{1,80}\s?(?:$|[\n;&|])`],
  ['kubectl helm terraform tofu aws gcloud az docker podman git gh glab npm yarn pnpm pip pip3 gem cargo', CHANGES],
  ['apt apt-get yum dnf apk pacman brew choco winget snap heroku vercel flyctl fly wrangler cdk pulumi', CHANGES],
  ['vault consul etcdctl oc redis-cli ansible ansible-playbook docker-compose serverless', `(?:${CHANGES}|${FLAG})`],
  ['curl wget', String.raw`(?:${ARGUMENT}|\S{1,80}:|localhost)`],
  ['bash sh zsh ksh dash fish pwsh powershell powershell.exe cmd cmd.exe busybox', SCRIPTED],
  ['python python2 python3 perl ruby php node deno bun lua osascript eval source nohup env', SCRIPTED],
  ['ssh scp sftp rsync nc ncat netcat socat telnet ftp', REMOTE],
  ['kill', String.raw`(?:-\w|\d+\s?$)`],
  ['reboot halt poweroff crontab iptables ufw tar truncate sysctl mount umount find sed', FLAG],
  ['shutdown', String.raw`(?:-\w|\/\w|now\b)`],
  ['service', String.raw`[\w@.-]+ (?:stop|start|restart|reload)\b`],
  ['net', String.raw`(?:user|stop|start|localgroup|share|use) \S`],
  ['sc', String.raw`(?:delete|stop|config|create) \S`],
  ['reg', String.raw`(?:add|delete|import) \S`],
  ['format', String.raw`[a-z]:`],
  ['del erase rd rmdir deltree move copy xcopy robocopy', String.raw`(?:\/\w|[a-z]:|\S{1,80}\.\w{1,5}\s?$|\*)`],
  ['mysql psql sqlite3 mongo mongosh sqlcmd mysqladmin mysqldump cqlsh', ARGUMENT],
  ['history', '-c'],
  ['certutil openssl', '-\\w'],
  ['iex iwr invoke-expression invoke-webrequest invoke-restmethod invoke-command invoke-item invoke-sqlcmd', ANY],
  ['remove-item remove-itemproperty clear-content clear-item set-content set-item set-acl add-content new-item', ANY],
  ['new-service new-localuser remove-localuser remove-aduser remove-vm out-file move-item rename-item', ANY],
  ['copy-item start-process stop-process start-service stop-service restart-service stop-computer', ANY],
  ['restart-computer clear-disk format-volume set-executionpolicy set-mppreference send-mailmessage', ANY],
  ['import', String.raw`[a-z_][\w.]*(?: as \w+)?\s?(?:$|[\n;,])`],
  ['from', String.raw`[a-z_][\w.]* import `],
  ['def', String.raw`\w+ ?\(`],
  ['const let var', String.raw`\w+ ?=`],
]

/** Each command with the expression that the text behind it must match. */
export const shellForms = (): [command: string, form: RegExp][] =>
  FORMS.flatMap(([commands, following]) => {
    const form = new RegExp(`^ (?:${following})`, 'i')
    return commands.split(/\s+/).map((command): [string, RegExp] => [command, form])
  })

/** Patterns that make a text a program, each with a sign that most texts lack, which is tested first. */
export const MARKS: readonly [sign: string, mark: RegExp][] = [
  ['|', /\| ?(?:(?:ba|z|k|da)?sh|xargs|python\d?|perl|ruby|node|tee|outputlookup|sendemail|delete|collect)(?![\w-])/i],
  ['>', /(?:^| )>>? ?(?:[~/]\S|\.{1,2}\/|[\w-]{1,60}\.[a-z]{2,4}(?![\w.]))/i],
  [':(', /:\(\) ?\{/],
  ['#!', /^#! ?\//],
  ['<', /<script\b|<\?php/i],
  ['javascript:', /./],
  [
    'db.',
    /\bdb\.(?:\w{1,64}\.|get\w{1,20}\([^()]{0,80}\)\.){0,3}(?:delete|remove|drop|insert|update|replace|bulk|save|rename|find\w{0,3}and|findone(?:and)|create|run|admin|eval|shutdown|copy|clone)\w{0,30}\(/i,
  ],
  ['g.', /\bg\.(?:add[ev]\(|[ev]\([^()]{0,80}\)[^;\n]{0,200}?\.(?:drop|property|add[ev])\()/i],
  ['_index', /["'](?:delete|update|index|create)["'] ?: ?\{/i],
  ['$', /["'{,] ?\$(?:out|merge|where|function|accumulator)["']? ?:/],
]

/** Functions of scripting languages that reach the system, the network or the evaluator. Matches the text before `(`. */
export const SYSTEM_CALL =
  /(?:^|[^\w.])(?:os\.(?:system|remove|unlink|popen|rmdir|removedirs|kill|exec\w*|rename|spawn\w*)|subprocess\.\w+|shutil\.\w+|__import__|eval|exec|execfile|execsync|shell_exec|passthru|proc_open|popen|system|child_process\.\w+|require|fs\.\w+|process\.(?:exit|kill)|deno\.\w+|runtime\.getruntime\(\)\.exec|requests\.\w+|urllib\.\w+(?:\.\w+)?|axios(?:\.\w+)?|fetch|function|urlopen|unlink|rmtree|open)$/i

// How statements that write begin. This file holds data only. A key is the first word; its expression matches what follows, at
// most 400 characters, with single spaces. Expressions are narrow, so prose such as "update on the project" does not match.

const NAME = String.raw`(?:"[^"]{1,64}"|\x60[^\x60]{1,64}\x60|\[[^\]]{1,64}\]|[^\s"\x60\[\]();,=|]){1,128}`
const END = String.raw`(?:\s?$|\s?[;)}"'\x60|&\]]|\s?--)`
const OBJECT = `(?:table|index|view|database|schema|user|role|function|procedure|trigger|sequence|extension|keyspace|
collection|type|tablespace|login|policy|publication|subscription|event|package|synonym|domain|aggregate|column|constraint|
partition|warehouse|stage|materialized view|(?:external|foreign) table) `
const MODIFIERS = `(?:(?:or replace|temp|temporary|unique|global|local|external|unlogged|public|(?:non)?clustered|fulltext|
spatial|bitmap|recursive|transient|virtual|if not exists|if exists|only|concurrently|definer=\\S{1,64}) )*`
const PRIVILEGE = `(?:all|select|insert|update|delete|execute|usage|create|alter|drop|references|connect|super|file|control|
ownership|with grant option|grant option for|admin option for)`

export const SQL_FORMS: Readonly<Record<string, string>> = {
  insert: `(?:(?:\\w+ ){0,3}(?:into|overwrite) (?:table )?NAME ?(?:\\(|(?:as \\w+ )?(?:values?|select|set|default values|
table|with|exec|overriding|output|json)\\b)|NAME ?(?:\\([^()]{0,200}\\) ?)?(?:values? ?\\(|select |exec )|(?:data )?\\{)`,
  replace: `into NAME ?(?:\\(|values?\\b|select\\b|set\\b)`,
  merge: `(?:into )?NAME (?:(?:as )?\\w+ )?using |\\( ?\\w* ?[:{)]`,
  delete: `from (?:only )?NAME(?:END| (?:(?:as )?\\w{1,30} )?(?:where|using|returning|limit \\d|order by|join|inner|left|
output|option)\\b)|NAME(?: from NAME)? (?:\\w{1,30} )?where NAME ?(?:[=<>!]|is |in |like |between )|top ?\\(|
(?:where|data) ?\\{|\\[ ?select `,
  update: `(?:[^\\s;]{1,128} ){1,16}?set NAME ?(?:[-+*]?=|\\()`,
  drop: `graph <|MODSOBJECTMODSNAME ?(?:END|,|cascade|restrict|purge|on |force|\\()`,
  alter: `MODSOBJECTMODSNAME (?:add|drop|alter|modify|change|rename|set|reset|owner|enable|disable|attach|detach|with|force|
identified|password|superuser|login|nologin|createdb|default|quota|account|convert|engine|auto_increment|inherit)\\b|
(?:system|session) (?:set|reset|kill|flush)`,
  create: `MODSOBJECTMODSNAME ?(?:\\(|;|as |on NAME ?\\(|with (?:password|login|superuser|\\()|identified|password|login|
superuser|returns|language|for login|from login|engine|partition by|like |default |authorization|before |after insert)|
MODSindex on NAME ?\\(|\\( ?\\w* ?[:{)]`,
  truncate: `table (?:only )?NAME ?(?:END|,|cascade|restart|continue)`,
  grant: `PRIVILEGE[ ,(].{0,200}? (?:on|to) NAME`,
  revoke: `PRIVILEGE[ ,(].{0,200}? (?:on|from) NAME`,
  exec: `(?:\\[?\\w+\\]?\\.){0,3}\\[?(?:sp|xp|usp|proc|fn)_\\w|NAME @\\w|immediate |\\( ?['@n]`,
  execute: `(?:\\[?\\w+\\]?\\.){0,3}\\[?(?:sp|xp|usp|proc|fn)_\\w|NAME @\\w|immediate |\\( ?['@n]|format ?\\(`,
  call: `[\\w.]+(?:\\(| ?\\( ?\\))|\\w*[_.]\\w+ ?\\(`,
  copy: `NAME ?(?:\\([^()]{0,200}\\) ?)?(?:from|to) (?:program|stdin|stdout|'|s3:|gs:|@)|\\( ?select|into NAME from `,
  load: `(?:data|xml) (?:low_priority |concurrent |local ){0,2}(?:infile|inpath)|csv (?:with|from) |'`,
  set: `(?:global|session|persist) \\w+ ?=|password for |@@|role NAMEEND|identity_insert `,
  do: `(?:language \\w+ )?\\$`,
  declare: `@\\w`,
  reindex: `(?:table|index|database|schema|system) NAMEEND`,
  vacuum: `(?:full|freeze|analyze)\\b|into `,
  refresh: `materialized view `,
  kill: `(?:query |connection )?\\d+END`,
  lock: `tables? NAME (?:read|write|in )`,
  pragma: `\\w+(?:\\.\\w+)? ?[=(]`,
  attach: `(?:database )?'`,
  detach: `delete \\w|database `,
  rename: `table NAME to `,
  backup: `(?:database|log) NAME to `,
  restore: `database NAME from `,
  flush: `(?:privileges|tables|logs|hosts|status)END`,
  purge: `(?:binary|master) logs|recyclebin|table `,
  dbcc: `\\w+ ?(?:\\(|END)`,
  deny: `PRIVILEGE[ ,(].{0,200}? (?:on|to) NAME`,
  remove: `\\w+[.:]\\w+END`,
  clear: `(?:silent )?(?:graph <|(?:all|default|named)END)`,
  comment: `on (?:table|column|database|schema|index|view|function) NAME is `,
  export: `data options ?\\(`,
  unload: `\\( ?'`,
  foreach: `\\( ?\\w+ in `,
  waitfor: `delay `,
  mutation: `(?:[\\w,]+ ?)?(?:\\([^{}]{0,300}|@\\w+ ?)?\\{`,
}

/** Forms that count only where a text is either a statement or search words. */
export const QUERY_FORMS: Readonly<Record<string, string>> = {
  create: `MODSOBJECTMODSNAMEEND`,
  truncate: `(?:table )?NAMEEND`,
  grant: `\\w+(?:, ?\\w+)* to NAMEEND`,
  revoke: `\\w+(?:, ?\\w+)* from NAMEEND`,
  exec: `[\\w.]+END`,
  execute: `[\\w.]+END`,
  delete: `(?:\\S+ )?(?:from|where|data) `,
  copy: `NAME (?:from|to) `,
}

/** Forms of reading statements, which may contain one that writes. They count only when they are not proven to read. */
export const READING_FORMS: Readonly<Record<string, string>> = {
  select: `[\\d*'"]|.{0,300}?(?:\\bfrom\\b|\\binto\\b|\\()`,
  with: `(?:recursive )?NAME ?(?:\\(|as ?(?:(?:not )?materialized ?)?\\()`,
  explain: `(?:\\(|analy[sz]e|verbose|select|with|insert|update|delete) ?`,
  match: `\\( ?\\w* ?[:{)]`,
  optional: `match ?\\(`,
  unwind: `.{1,200}? as `,
}

const known = new Map<string, RegExp>()

/** The expression of a form, built on first use. */
export function formOf(source: string): RegExp {
  const made = known.get(source)
  if (made) return made
  const whole = source
    .replaceAll('\n', '')
    .replaceAll('MODS', MODIFIERS.replaceAll('\n', ''))
    .replaceAll('OBJECT', OBJECT.replaceAll('\n', ''))
    .replaceAll('PRIVILEGE', PRIVILEGE.replaceAll('\n', ''))
    .replaceAll('NAME', NAME)
    .replaceAll('END', END)
  const expression = new RegExp(`^ ?(?:${whole})`, 'i')
  known.set(source, expression)
  return expression
}
