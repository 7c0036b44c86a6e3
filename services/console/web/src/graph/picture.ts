import { saveFile } from '../parts/save-file.ts';

/** Properties that a picture outside the page would otherwise lose. */
const kept = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'font-family', 'font-size', 'font-weight', 'text-anchor', 'opacity'];
/** Sharp on screens of high density and in print. */
const scale = 2;
/** Browsers draw no larger canvas. */
const mostPixels = 16_000;

/** Saves a drawing as PNG, with the colours that it has on the page. Rejects when the browser cannot draw it. */
export async function savePicture(drawing: SVGSVGElement, name: string): Promise<void> {
  const { width, height } = drawing.viewBox.baseVal;
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const styled = copy.querySelectorAll('*');
  for (const [at, element] of drawing.querySelectorAll('*').entries()) {
    const style = getComputedStyle(element);
    for (const property of kept) styled[at]?.setAttribute(property, style.getPropertyValue(property));
    styled[at]?.removeAttribute('class');
  }
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  const ratio = Math.min(scale, mostPixels / Math.max(width, height));
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d');
  if (context === null) throw new TypeError('the browser has no canvas');
  context.fillStyle = getComputedStyle(document.body).backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob === null) throw new TypeError('the picture is too large');
  saveFile(blob, name);
}
