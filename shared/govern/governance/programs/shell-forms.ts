// How shell commands that change something begin. This file holds data only. A key is the command; its expression matches what
// follows, at most 400 characters of the same line. Everyday words count only with the arguments of a command.

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

/** Each command with the expression of what follows it. */
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
