// Two real mail servers of Debian as plain processes on loopback: Exim takes mail and says who wrote it, Dovecot shows mailboxes.
import { chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@gatehouse/testkit/free-port'
import { execa } from 'execa'
import { createTransport } from 'nodemailer'
import { descendants, endInOrder } from '../descendants.ts'
import { waitFor } from '../wait-for.ts'
import { addressOf, domain, type Letter, letterOf } from './letters.ts'

export const passwordOf = (name: string): string => `canary-of-${name}/9f3@7c`

const people = ['agents', 'ann', 'ben', 'mallory'] as const
/** The servers want an identity that is not root's, and give nobody another one. */
const isRoot = process.getuid?.() === 0
const [uid, gid] = isRoot ? [65534, 65534] : [userInfo().uid, userInfo().gid]
const [user, group] = isRoot ? ['nobody', 'nogroup'] : [userInfo().username, String(gid)]

/** What to install; a failure where everything must be there. */
export const lackingMailServers = async (): Promise<string | false> => {
  const programs = [
    ['exim4', '-bV'],
    ['dovecot', '--version'],
  ] as const
  for (const [name, flag] of programs) {
    const { failed } = await execa(name, [flag], { reject: false, env: path })
    if (!failed) continue
    const reason = `needs ${name}, install with: apt-get install -y --no-install-recommends exim4-daemon-light dovecot-imapd`
    if (process.env['CI'] === 'true') throw new Error(reason)
    return reason
  }
  return false
}

/** What tells that a unit wrote a letter. */
const marks = ['auto-submitted', 'x-auto-response-suppress', 'message-id']

const exim = (at: string, port: number): string => `
exim_user = ${user}
exim_group = ${group}
never_users =
primary_hostname = mx.test
spool_directory = ${at}/spool
log_file_path = ${at}/exim-%slog
pid_file_path = ${at}/exim.pid
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${port}
tls_on_connect_ports = ${port}
tls_advertise_hosts = *
tls_certificate = ${at}/certificate.pem
tls_privatekey = ${at}/key.pem
host_lookup =
rfc1413_hosts =
message_size_limit = 60M
smtp_accept_max = 100
acl_smtp_rcpt = acl_rcpt
acl_smtp_data = acl_data
begin acl
acl_rcpt:
  accept domains = ${domain}
acl_data:
  accept condition = \${if def:h_X-Results:}
         add_header = :at_start:Authentication-Results: mx.test; $h_X-Results:
  accept authenticated = *
         add_header = :at_start:Authentication-Results: mx.test; auth=pass smtp.auth=$authenticated_id
  accept add_header = :at_start:Authentication-Results: mx.test; auth=none
begin routers
people:
  driver = accept
  domains = ${domain}
  local_parts = ${people.join(' : ')}
  local_part_suffix = +*
  local_part_suffix_optional
  transport = maildir
begin transports
maildir:
  driver = appendfile
  directory = ${at}/mail/$local_part_data
  maildir_format
  return_path_add
  envelope_to_add
  headers_remove = ${marks.map((name) => `\${if exists{${at}/unmarked}{${name}}}`).join(' : ')}
  user = ${user}
  group = ${group}
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if eq{$auth3}{\${lookup{$auth2}lsearch{${at}/passwords}}}}
  server_set_id = $auth2
`

const dovecot = (at: string, port: number): string => `
base_dir = ${at}/run
state_dir = ${at}/run
log_path = ${at}/dovecot.log
protocols = imap
listen = 127.0.0.1
ssl = required
ssl_cert = <${at}/certificate.pem
ssl_key = <${at}/key.pem
default_internal_user = ${user}
default_internal_group = ${group}
default_login_user = ${user}
first_valid_uid = 1
auth_mechanisms = plain
auth_failure_delay = 0
mail_location = maildir:${at}/mail/%n
passdb {
  driver = passwd-file
  args = scheme=PLAIN ${at}/users
}
userdb {
  driver = static
  args = uid=${user} gid=${group} home=${at}/mail/%n
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = 0
  }
  inet_listener imaps {
    address = 127.0.0.1
    port = ${port}
    ssl = yes
  }
}
`

const path = { PATH: `${process.env['PATH']}:/usr/sbin` }

const serve = (program: string, flags: readonly string[], cwd: string) =>
  execa(program, flags, { uid, gid, cwd, env: path, reject: false, stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' })

const certify = (at: string): Promise<unknown> => {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const made = ['-keyout', 'key.pem', '-out', 'certificate.pem', '-subj', '/CN=mail']
  return execa('openssl', ['req', '-x509', ...key, ...made, '-addext', 'subjectAltName=IP:127.0.0.1'], { cwd: at })
}

const own = async (path: string): Promise<void> => {
  await chown(path, uid, gid)
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inner = join(path, entry.name)
    await (entry.isDirectory() ? own(inner) : chown(inner, uid, gid))
  }
}

const prepare = async (at: string, ports: { readonly smtp: number; readonly imap: number }): Promise<void> => {
  for (const name of ['spool', 'run', 'mail']) await mkdir(join(at, name))
  await certify(at)
  await writeFile(join(at, 'exim.conf'), exim(at, ports.smtp))
  await writeFile(join(at, 'dovecot.conf'), dovecot(at, ports.imap))
  await writeFile(join(at, 'passwords'), people.map((name) => `${addressOf(name)}: ${passwordOf(name)}\n`).join(''))
  await own(at)
}

/** The second and its fraction, out of Exim's own id of a letter: files are named when it was delivered, which goes beside each other. */
const takenAs = (letter: Letter): string => {
  const [second = '', , fraction = ''] = (/\bid (\S+?)[\s;]/.exec(letter.header('Received') ?? '')?.[1] ?? '').split('-')
  return `${second} ${fraction}`
}

const urlOf = (scheme: string, name: string, port: number): string =>
  `${scheme}://${encodeURIComponent(addressOf(name))}:${encodeURIComponent(passwordOf(name))}@127.0.0.1:${port}`

export const startMailServers = async () => {
  const at = await mkdtemp(join(tmpdir(), 'gatehouse-mail-'))
  const ports = { smtp: await freePort(), imap: await freePort() }
  const running = new Map<'exim' | 'dovecot', ReturnType<typeof serve>>()
  /** By file: none changes once it is there. */
  const read = new Map<string, Letter>()
  await prepare(at, ports)

  const setPassword = (password: string): Promise<void> =>
    writeFile(join(at, 'users'), `${addressOf('agents')}:${password}\n${addressOf('ben')}:${passwordOf('ben')}\n`, { mode: 0o644 })
  /** What a unit is started with that has the mailbox of this person. */
  const envOf = (name: 'agents' | 'ben') => ({
    EMAIL_IMAP_URL: `${urlOf('imaps', name, ports.imap)}/INBOX?authserv-id=mx.test`,
    EMAIL_SMTP_URL: urlOf('smtps', name, ports.smtp),
    EMAIL_FROM: `Agents <${addressOf(name)}>`,
    SERVICE_CA_FILE: join(at, 'certificate.pem'),
  })
  const startDovecot = (): void => void running.set('dovecot', serve('dovecot', ['-F', '-c', join(at, 'dovecot.conf')], at))
  const startExim = (): void => void running.set('exim', serve('exim4', ['-bdf', '-q10m', '-C', join(at, 'exim.conf')], at))
  const stop = async (name: 'exim' | 'dovecot'): Promise<void> => {
    const server = running.get(name)
    running.delete(name)
    // What serves a mailbox outlives the one that took the connection; what carries a letter may end it.
    const { pid } = server ?? {}
    const all = pid === undefined ? [] : [...(name === 'dovecot' ? await descendants(pid) : []), pid]
    for (const one of all) endInOrder(one)
    await server
  }
  await setPassword(passwordOf('agents'))
  startDovecot()
  startExim()

  /** As any program of a person does. `as`: who logs in; nobody for mail from elsewhere. */
  const send = async (raw: string, { from = 'ann', to = addressOf('agents'), as }: { from?: string; to?: string; as?: string } = {}) => {
    const transport = createTransport({
      host: '127.0.0.1',
      port: ports.smtp,
      secure: true,
      tls: { ca: await readFile(join(at, 'certificate.pem'), 'utf8') },
      ...(as !== undefined && { auth: { user: addressOf(as), pass: passwordOf(as) } }),
    })
    try {
      await transport.sendMail({ envelope: { from: from === '' ? '' : addressOf(from), to: [to] }, raw })
    } finally {
      transport.close()
    }
  }
  await waitFor('the mail servers', 60_000, () =>
    send('Subject: a trial\n\nhello\n', { from: 'ben', to: addressOf('ben') }).then(() => true),
  )

  return {
    env: envOf('agents'),
    envOf,
    /** From now on letters lose all that tells that a machine wrote them. */
    removeMarks: () => writeFile(join(at, 'unmarked'), ''),
    send,
    stop,
    setPassword,
    startDovecot,
    startExim,
    /** How many letters of a person lie there, read or not. */
    delivered: async (name: string): Promise<number> => {
      const names: string[] = []
      // One that is read moves to the second meanwhile, under more of a name.
      for (const folder of ['new', 'cur']) names.push(...(await readdir(join(at, 'mail', name, folder)).catch((): string[] => [])))
      return new Set(names.map((file) => file.split(':')[0])).size
    },
    /** What came to a person, in the order in which Exim took it. */
    letters: async (name: string): Promise<Letter[]> => {
      const folder = join(at, 'mail', name, 'new')
      const files = await readdir(folder).catch((): string[] => [])
      const found = await Promise.all(
        files.map(async (file) => {
          const path = join(folder, file)
          const letter = read.get(path) ?? letterOf((await readFile(path, 'utf8')).replaceAll('\r\n', '\n'))
          read.set(path, letter)
          return { letter, taken: takenAs(letter) }
        }),
      )
      return found.toSorted((one, other) => (one.taken < other.taken ? -1 : 1)).map(({ letter }) => letter)
    },
    close: async () => {
      await Promise.all([stop('exim'), stop('dovecot')])
      await rm(at, { recursive: true, force: true })
    },
  }
}
