// The table of all rows: a filter, an order, a page at a time.
import { standings, type Report, type Row, type Standing } from './data.ts';
import { element, made } from './page.ts';
import { countsOf, pageCount, pageOf, rowsIn, type Column, type Filter, type Order } from './view.ts';
import { changeText, deviceName, intervalText, timeText, verdictText } from './words.ts';

const columns: [Column | null, string][] = [['case', 'case'], ['device', 'device'], ['median', 'median'], ['change', 'change'], [null, 'interval'], ['verdict', 'verdict']];

export class Table {
  #filter: Filter = { text: '', device: null, verdict: null };
  #order: Order = { column: 'verdict', descending: false };
  #page = 0;
  #rows: Row[] = [];
  #shown: Row | undefined;

  constructor(private readonly report: Report, private readonly onOpen: (row: Row) => void) {
    this.#makeHead();
    this.#makeCounts();
    this.#makeFilter();
    element('before').onclick = () => this.#turn(-1);
    element('after').onclick = () => this.#turn(1);
    this.#look();
  }

  get first(): Row | undefined {
    return this.#rows[0];
  }

  show(row: Row): void {
    this.#shown = row;
    this.#writeRows();
    this.onOpen(row);
  }

  #makeHead(): void {
    const head = made('tr');
    for (const [column, text] of columns) {
      const cell = made('th', column === null ? text : '');
      if (column !== null) {
        const button = made('button', text);
        button.type = 'button';
        button.onclick = () => this.#orderBy(column);
        cell.append(button);
        cell.dataset['column'] = column;
      }
      head.append(cell);
    }
    element('head').append(head);
  }

  #makeCounts(): void {
    for (const [verdict, count] of countsOf(this.report)) {
      const button = made('button', `${count} ${verdict === 'regression' && count > 1 ? 'regressions' : verdict}`, verdict);
      button.type = 'button';
      button.onclick = () => {
        this.#filter.verdict = this.#filter.verdict === verdict ? null : verdict;
        this.#look();
      };
      button.dataset['verdict'] = verdict;
      element('counts').append(button);
    }
  }

  #makeFilter(): void {
    const text = element<HTMLInputElement>('filter_case'), device = element<HTMLSelectElement>('filter_device'), verdict = element<HTMLSelectElement>('filter_verdict');
    for (const [i, one] of this.report.devices.entries()) device.append(new Option(one.name, String(i)));
    for (const one of ['regression', ...standings]) verdict.append(new Option(one, one));
    element('filter').onsubmit = event => event.preventDefault();
    text.oninput = () => { this.#filter.text = text.value; this.#look(); };
    device.onchange = () => { this.#filter.device = device.value === '' ? null : this.report.devices[Number(device.value)] ?? null; this.#look(); };
    verdict.onchange = () => { this.#filter.verdict = verdict.value === '' ? null : verdict.value as Standing | 'regression'; this.#look(); };
  }

  #orderBy(column: Column): void {
    this.#order = { column, descending: this.#order.column === column ? !this.#order.descending : column === 'change' || column === 'median' };
    this.#look();
  }

  #turn(by: number): void {
    this.#page += by;
    this.#writeRows();
  }

  #look(): void {
    this.#rows = rowsIn(this.report, this.#filter, this.#order);
    this.#page = 0;
    element<HTMLSelectElement>('filter_verdict').value = this.#filter.verdict ?? '';
    for (const button of element('counts').querySelectorAll('button')) button.setAttribute('aria-pressed', String(button.dataset['verdict'] === this.#filter.verdict));
    for (const cell of element('head').querySelectorAll('th')) {
      if (cell.dataset['column'] === this.#order.column) cell.setAttribute('aria-sort', this.#order.descending ? 'descending' : 'ascending');
      else cell.removeAttribute('aria-sort');
    }
    this.#writeRows();
  }

  #writeRows(): void {
    const pages = pageCount(this.#rows), first = this.#page * pageOf(this.#rows, 0).length;
    const shown = pageOf(this.#rows, this.#page);
    element('rows').replaceChildren(...shown.map(row => this.#rowOf(row)));
    element('page').textContent = this.#rows.length === 0 ? 'no such row' : `${first + 1} to ${first + shown.length} of ${this.#rows.length}`;
    element<HTMLButtonElement>('before').disabled = this.#page === 0;
    element<HTMLButtonElement>('after').disabled = this.#page + 1 >= pages;
  }

  #rowOf(row: Row): HTMLTableRowElement {
    const line = made('tr', '', row === this.#shown ? 'shown' : ''), open = made('button', row.of.name), name = made('td', '', 'case');
    open.type = 'button';
    name.append(open);
    line.append(name, made('td', deviceName(row), 'device'), made('td', timeText(row.new_ms), 'number'),
      made('td', row.effect === null ? '-' : changeText(row.effect.ratio), 'number'), made('td', row.effect === null ? '-' : intervalText(row.effect), 'number'),
      made('td', row.regression ? `${verdictText(row)}: a regression` : verdictText(row), `verdict ${row.standing} ${row.regression ? 'regression' : ''}`));
    line.onclick = () => {
      this.show(row);
      element('details').scrollIntoView({ block: 'nearest' });
    };
    return line;
  }
}
