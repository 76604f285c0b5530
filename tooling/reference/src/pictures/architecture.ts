// The architecture picture: the processes of a unit, what is outside of them, and the only ways into and out of a sandbox.
import { type Arrow, type Box, type Drawing, drawSvg, themes } from './svg.ts'

const boxes: readonly Box[] = [
  { x: 205, y: 84, width: 610, height: 386, fill: 'region', title: 'Host' },
  { x: 205, y: 520, width: 610, height: 128, fill: 'sandbox', title: 'Sandbox: no network, no credentials, read-only root' },

  { x: 225, y: 8, width: 180, height: 54, fill: 'outside', title: 'Operators', lines: ['console, svcctl, API'] },
  { x: 615, y: 8, width: 180, height: 54, fill: 'outside', title: 'Chat and mail', lines: ['Slack, e-mail, webhooks'] },
  { x: 8, y: 366, width: 168, height: 84, fill: 'outside', title: 'Tool servers', lines: ['MCP, remote or local'] },
  { x: 844, y: 366, width: 168, height: 84, fill: 'outside', title: 'Model providers', lines: ['Anthropic, OpenAI, …'] },

  { x: 225, y: 126, width: 180, height: 84, fill: 'process', title: 'Control plane', lines: ['the only TCP listener'] },
  { x: 615, y: 126, width: 180, height: 84, fill: 'process', title: 'Channels', lines: ['channel credentials'] },
  {
    x: 405,
    y: 246,
    width: 210,
    height: 84,
    fill: 'decides',
    title: 'Gateway',
    lines: ['holds, decides, authorizes', 'writes the audit log first'],
  },
  { x: 225, y: 366, width: 180, height: 84, fill: 'process', title: 'Broker', lines: ['tool server credentials'] },
  { x: 425, y: 366, width: 170, height: 84, fill: 'process', title: 'Runner', lines: ['sandboxes, queue keys'] },
  { x: 615, y: 366, width: 180, height: 84, fill: 'process', title: 'Model proxy', lines: ['provider keys'] },

  {
    x: 225,
    y: 540,
    width: 570,
    height: 66,
    fill: 'sandbox',
    title: 'Agent',
    lines: ['one group, one session; the socket is its identity'],
  },
]

const arrows: readonly Arrow[] = [
  {
    points: [
      [315, 62],
      [315, 126],
    ],
  },
  {
    points: [
      [705, 62],
      [705, 126],
    ],
  },
  {
    points: [
      [350, 210],
      [350, 268],
      [405, 268],
    ],
  },
  {
    points: [
      [670, 210],
      [670, 268],
      [615, 268],
    ],
  },
  {
    points: [
      [350, 366],
      [350, 308],
      [405, 308],
    ],
  },
  {
    points: [
      [510, 366],
      [510, 330],
    ],
  },
  {
    points: [
      [670, 366],
      [670, 308],
      [615, 308],
    ],
  },
  {
    points: [
      [225, 408],
      [176, 408],
    ],
  },
  {
    points: [
      [795, 408],
      [844, 408],
    ],
  },
  {
    points: [
      [315, 540],
      [315, 450],
    ],
    label: 'tools.sock',
    labelAt: [325, 502],
  },
  {
    points: [
      [510, 540],
      [510, 450],
    ],
    label: 'session.sock',
    labelAt: [520, 502],
  },
  {
    points: [
      [705, 540],
      [705, 450],
    ],
    label: 'model.sock',
    labelAt: [715, 502],
  },
]

const drawing: Drawing = {
  width: 1020,
  height: 656,
  title:
    'Operators reach the control plane; chat services, mail and webhooks reach the channels process. Both call the gateway, which decides and writes the audit log. The broker, the runner and the model proxy ask the gateway. An agent in a sandbox has three sockets: to the broker, the runner and the model proxy. The broker calls tool servers, the model proxy calls model providers.',
  boxes,
  arrows,
}

export const drawArchitecture = (theme: 'light' | 'dark'): string => drawSvg(drawing, themes[theme])
