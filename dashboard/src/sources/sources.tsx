/** Every data source, with texts that hold the real keys and addresses. */
import { Alert, Anchor, Select, Tabs } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Site } from '../api/answers.ts'
import { CodeBlock } from '../parts/copyable.tsx'
import { text } from '../text/text.ts'
import { UploadPanel } from '../uploads/upload-panel.tsx'
import { apiTexts, checkText } from './api-texts.ts'
import { DrainMaker } from './drain-maker.tsx'
import { fillIn, isLocal, type SiteParts } from './fill-in.ts'
import { Guide, type Value, Values } from './guide.tsx'
import { KeyMaker } from './key-maker.tsx'
import { drainGuides, readSource, type SourceTab, sourceTabs, trackerGuides } from './source.ts'
import './sources.css'

const t = text.sources

interface SourcesProps {
  readonly site: Site
  /** Such as `trackers/express` (see source.ts). */
  readonly source: string
  readonly onSource: (source: string) => void
}

export default function Sources({ site, source, onSource }: SourcesProps) {
  const [writeKey, setWriteKey] = useState<string | null>(null)
  const { tab, guide } = readSource(source)
  const parts: SiteParts = {
    host: window.location.origin,
    siteId: site.id,
    trackingKey: site.key,
    apiKey: writeKey,
    domain: site.domain,
  }
  const props: PanelProps = {
    site,
    parts,
    onSource,
    guide: guide ?? '',
    keyMaker: <KeyMaker domain={site.domain} writeKey={writeKey} onMade={setWriteKey} />,
  }
  return (
    <Tabs value={tab} onChange={chosen => chosen && onSource(chosen)} keepMounted={false}>
      <Tabs.List mb="md" className="sources">
        {sourceTabs.map(name => (
          <Tabs.Tab key={name} value={name}>
            {t.tabs[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={tab}>
        <Panel {...props} tab={tab} />
      </Tabs.Panel>
    </Tabs>
  )
}

interface PanelProps {
  readonly site: Site
  readonly parts: SiteParts
  readonly guide: string
  readonly onSource: (source: string) => void
  readonly keyMaker: ReactNode
}

function Panel({ tab, ...props }: PanelProps & { readonly tab: SourceTab }) {
  switch (tab) {
    case 'import':
      return <UploadPanel site={props.site} />
    case 'trackers':
      return <Trackers {...props} />
    case 'browser':
      return <Browser {...props} />
    case 'drains':
      return <Drains {...props} />
    case 'api':
      return <Api {...props} />
    case 'check':
      return <Check {...props} />
  }
}

function Trackers({ parts, guide, keyMaker, onSource }: PanelProps) {
  return (
    <div className="stack">
      <p>{t.trackerLead}</p>
      <Choice label={t.platform} kind="trackers" names={trackerGuides} chosen={guide} onSource={onSource} />
      <Unreachable host={parts.host} />
      {keyMaker}
      <Values
        values={[
          { name: 'PUGMARK_URL', value: parts.host },
          { name: 'PUGMARK_SITE', value: parts.siteId },
          { name: 'PUGMARK_KEY', value: parts.apiKey },
        ]}
      />
      <Guide
        name={`trackers/${guide}`}
        label={t.guides.trackers[guide] ?? guide}
        parts={parts}
        shared={['Get the package', 'Options', "The client's address"]}
        onSource={onSource}
      />
      <ThenCheck onSource={onSource} />
    </div>
  )
}

function Browser({ parts, onSource }: PanelProps) {
  return (
    <div className="stack">
      <Unreachable host={parts.host} />
      <Guide name="trackers/browser" label={t.tabs.browser} parts={parts} onSource={onSource} />
      <ThenCheck onSource={onSource} />
    </div>
  )
}

function Drains({ site, parts, guide, keyMaker, onSource }: PanelProps) {
  const address = fillIn(`https://stats.example.com/drains/${guide}/site_…`, parts)
  const bearer = parts.apiKey === null ? null : `Bearer ${parts.apiKey}`
  const proof: Readonly<Record<string, readonly Value[]>> = {
    vercel: [],
    cloudfront: [{ name: t.accessKey, value: parts.apiKey }],
  }
  return (
    <div className="stack">
      <p>{t.drainLead}</p>
      <Choice label={t.service} kind="drains" names={drainGuides} chosen={guide} onSource={onSource} />
      <Unreachable host={parts.host} />
      {guide !== 'vercel' && keyMaker}
      <Values
        values={[
          { name: t.address, value: address },
          ...(proof[guide] ?? [{ name: 'Authorization', value: bearer }]),
        ]}
      />
      {(guide === 'vercel' || guide === 'fastly') && <DrainMaker key={guide} site={site} kind={guide} />}
      <Guide
        name={`drains/${guide}`}
        label={t.guides.drains[guide] ?? guide}
        parts={parts}
        shared={['What all have in common', 'Counted once']}
        onSource={onSource}
      />
      <ThenCheck onSource={onSource} />
    </div>
  )
}

function Api({ parts, keyMaker }: PanelProps) {
  return (
    <div className="stack">
      <p>{t.apiLead}</p>
      {keyMaker}
      <CodeBlock code={fillIn(apiTexts.hits, parts)} label={t.tabs.api} />
      <p>{t.conversionsLead}</p>
      <CodeBlock code={fillIn(apiTexts.conversion, parts)} label={text.metrics.conversion} />
      <p className="dimmed">{t.sourceHint}</p>
      <p>
        <Anchor href="/docs" inherit>
          {text.nav.reference}
        </Anchor>
      </p>
    </div>
  )
}

function Check({ parts }: PanelProps) {
  return (
    <div className="stack">
      <p>{t.checkLead}</p>
      <CodeBlock code={fillIn(checkText, parts)} label={t.tabs.check} />
      <p className="dimmed">{t.checkCounts}</p>
    </div>
  )
}

function ThenCheck({ onSource }: { readonly onSource: (source: string) => void }) {
  return (
    <p>
      {t.thenCheck}{' '}
      <Anchor component="button" type="button" onClick={() => onSource('check')} inherit underline="always">
        {t.checkIt}
      </Anchor>
    </p>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly kind: 'trackers' | 'drains'
  readonly names: readonly string[]
  readonly chosen: string
  readonly onSource: (source: string) => void
}

function Choice({ label, kind, names, chosen, onSource }: ChoiceProps) {
  return (
    <Select
      label={label}
      data={names.map(name => ({ value: name, label: t.guides[kind][name] ?? name }))}
      value={chosen}
      onChange={name => name && onSource(`${kind}/${name}`)}
      allowDeselect={false}
      maxDropdownHeight={340}
      comboboxProps={{ withinPortal: true }}
      maw={340}
    />
  )
}

function Unreachable({ host }: { readonly host: string }) {
  if (!isLocal(host)) return null
  return (
    <Alert color="yellow" variant="light" className="notice">
      {t.local(host)}
    </Alert>
  )
}
