// Navigation, banners and the live region around every page.
import type { ServiceError, Status } from '@gatehouse/contracts'
import type { ComponentChildren } from 'preact'
import { linkTo } from '../live/use-path.ts'
import { ProblemNote } from './problem-note.tsx'

interface FrameProps {
  readonly place: string
  readonly go: (place: string) => void
  readonly status: Status | undefined
  readonly problem: ServiceError | undefined
  readonly leave: () => void
  readonly children: ComponentChildren
}

const places = [
  ['approvals', 'Approvals'],
  ['chat', 'Chat'],
  ['mcp', 'MCP'],
  ['audit', 'Audit'],
] as const

export const Frame = ({ place, go, status, problem, leave, children }: FrameProps) => (
  <>
    <header>
      <p class="brand">Gatehouse</p>
      <nav aria-label="Pages">
        {places.map(([path, title]) => (
          <a
            key={path}
            href={linkTo(path)}
            aria-current={path === place ? 'page' : undefined}
            onClick={(event) => {
              event.preventDefault()
              go(path)
            }}
          >
            {title}
            {path === 'approvals' && (status?.held ?? 0) > 0 && <span class="badge">{status?.held}</span>}
          </a>
        ))}
      </nav>
      {status?.open === false && (
        <button type="button" class="quiet" onClick={leave}>
          Sign out
        </button>
      )}
    </header>
    <aside aria-label="Notices">
      {status?.open === true && <p class="banner">Development mode: no token is asked for. Never put this unit on a network.</p>}
      {status !== undefined && status.sandbox.missing.length > 0 && (
        <p class="banner">
          Sandbox {status.sandbox.driver}: these walls are missing here: {status.sandbox.missing.join(', ')}.
        </p>
      )}
      {status !== undefined && status.degraded.length > 0 && <p class="banner">Not working: {status.degraded.join(', ')}.</p>}
    </aside>
    <main>
      {problem !== undefined && <ProblemNote problem={problem} />}
      {children}
    </main>
  </>
)
