/** Text that is there to be copied, such as a command or a key. */

import { ActionIcon, Button, CopyButton } from '@mantine/core'
import { text } from '../text/text.ts'
import { CheckIcon, CopyIcon } from './icons.tsx'
import { ScrollBox } from './scroll-box.tsx'
import './copyable.css'

/** `label` says what is copied. */
export function CopyIconButton({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="md"
          onClick={copy}
          aria-label={`${copied ? text.common.copied : text.common.copy}: ${label}`}
        >
          {copied ? <CheckIcon size={16} /> : <CopyIcon size={16} />}
        </ActionIcon>
      )}
    </CopyButton>
  )
}

export function CodeBlock({ code, label }: { readonly code: string; readonly label: string }) {
  return (
    <div className="code-block">
      <ScrollBox label={label} className="code-scroll">
        <pre>
          <code>{code}</code>
        </pre>
      </ScrollBox>
      <CopyButton value={code}>
        {({ copied, copy }) => (
          <Button
            size="compact-sm"
            variant="default"
            className="code-copy"
            onClick={copy}
            leftSection={copied ? <CheckIcon size={14} /> : <CopyIcon size={14} />}
          >
            {copied ? text.common.copied : text.common.copy}
          </Button>
        )}
      </CopyButton>
    </div>
  )
}
