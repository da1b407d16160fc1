// The scene drawn with WebGL.
import {
  AmbientLight,
  BufferGeometry,
  Color,
  CylinderGeometry,
  Curve,
  DirectionalLight,
  DoubleSide,
  EdgesGeometry,
  Float32BufferAttribute,
  GridHelper,
  Group,
  Line,
  LineBasicMaterial,
  LineSegments,
  Material,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Object3D,
  PerspectiveCamera,
  PlaneGeometry,
  Quaternion,
  Scene,
  SphereGeometry,
  TubeGeometry,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

import type { EventEntry, Vector } from './data';
import { type Extent, dot, extent, reach } from './extent';
import type { Poses } from './poses';
import { outline, solid } from './shapes';
import { type Palette, type TracePoint, type View, bodyColour, isLink, isSlide, pointRadius } from './view';

const xAxis = new Vector3(1, 0, 0);
const zAxis = new Vector3(0, 0, 1);
const flashSeconds = 0.35; // of the viewer's time

class Helix extends Curve<Vector3> {
  constructor(
    private readonly turns: number,
    private readonly radius: number,
  ) {
    super();
  }
  override getPoint(s: number, target = new Vector3()): Vector3 {
    // Straight ends, coils in between.
    const coil = Math.min(1, Math.max(0, (s - 0.08) / 0.84));
    const r = s < 0.04 || s > 0.96 ? 0 : this.radius;
    const angle = 2 * Math.PI * this.turns * coil;
    return target.set(r * Math.cos(angle), r * Math.sin(angle), s);
  }
}

// One for the page: a model that is served makes a new view for every run, and browsers allow few contexts.
// Throws where WebGL is missing; the page draws on a canvas then.
let shared: WebGLRenderer | null = null;
function theRenderer(): WebGLRenderer {
  shared ??= new WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
  return shared;
}

export class ThreeView implements View {
  readonly element = document.createElement('div');
  private readonly renderer: WebGLRenderer;
  private readonly world = new Scene();
  private readonly camera = new PerspectiveCamera(32, 1, 0.01, 1000);
  private readonly controls: OrbitControls;
  private readonly observer: ResizeObserver;
  private readonly size: Extent;
  private readonly bodies: Group[] = [];
  private readonly updates: ((t: number) => void)[] = [];
  private readonly ink: (LineBasicMaterial | MeshBasicMaterial | MeshStandardMaterial)[] = [];
  private readonly faint: (LineBasicMaterial | MeshStandardMaterial)[] = [];
  private readonly traces: { line: Line; colour: string }[] = [];
  private readonly impacts: EventEntry[];
  private readonly flashes: Mesh[] = [];
  private time = 0;

  constructor(
    private readonly poses: Poses,
    events: EventEntry[],
    private readonly speed: () => number,
  ) {
    this.renderer = theRenderer();
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
    this.element.className = 'view';
    this.element.append(this.renderer.domElement);
    this.size = extent(poses);
    this.impacts = events.filter((e) => e.kind === 'impact' && e.point !== undefined);
    this.camera.up.set(...this.size.up);
    this.camera.near = this.size.radius / 200;
    this.camera.far = this.size.radius * 200;
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener('change', () => this.render());
    this.addLights();
    this.addBodies();
    this.addJoints();
    this.addSprings();
    this.addSurfaces();
    this.addFlashes();
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(this.element);
  }

  private get scale(): number {
    return this.size.radius;
  }

  private addLights(): void {
    this.world.add(new AmbientLight(0xffffff, 1.1));
    const key = new DirectionalLight(0xffffff, 2.2);
    key.position.set(...this.size.toCamera).addScaledVector(new Vector3(...this.size.up), 0.8);
    key.position.addScaledVector(new Vector3(...this.size.right), -0.5);
    this.world.add(key);
  }

  private material(colour: string, opacity = 1): MeshStandardMaterial {
    return new MeshStandardMaterial({ color: colour, roughness: 0.55, metalness: 0.05, transparent: opacity < 1, opacity });
  }

  private addBodies(): void {
    const { bodies, joints } = this.poses.scene;
    const heaviest = Math.max(...bodies.map((b) => b.mass));
    bodies.forEach((b, i) => {
      const group = new Group();
      const least = b.shape.type === 'point' ? pointRadius(b.mass, heaviest, this.scale) : 0.02 * this.scale;
      const geometry = solid(b.shape, least);
      const mesh = new Mesh(geometry, this.material(bodyColour(i), b.shape.equivalent ? 0.75 : 1));
      if (b.shape.offset) mesh.position.set(...b.shape.offset);
      if (b.shape.axes) {
        const [w, x, y, z] = b.shape.axes;
        mesh.quaternion.set(x, y, z, w);
      }
      if (b.shape.type !== 'point') {
        const edges = new LineBasicMaterial({ color: 0x000000, transparent: true, opacity: 0.55 });
        mesh.add(new LineSegments(outline(b.shape, geometry), edges));
      }
      group.add(mesh);
      // Arms to anchors that lie outside of the shape.
      for (const j of joints)
        for (const e of [j.from, j.to])
          if (e.body === i && e.at && Math.hypot(...e.at) > 0.5 * reach(b.shape) && b.shape.type !== 'point')
            group.add(this.bar(new Vector3(), new Vector3(...e.at), 0.011, this.material(bodyColour(i))));
      this.bodies.push(group);
      this.world.add(group);
    });
  }

  // A thin cylinder of unit length along z, placed between two points.
  private bar(from: Vector3, to: Vector3, thickness: number, material: Material): Mesh {
    const r = thickness * this.scale;
    const mesh = new Mesh(new CylinderGeometry(r, r, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5), material);
    this.stretch(mesh, from, to);
    return mesh;
  }
  private stretch(object: Object3D, from: Vector3, to: Vector3): void {
    const span = to.clone().sub(from);
    const length = span.length();
    object.position.copy(from);
    object.scale.set(1, 1, Math.max(length, 1e-9));
    if (length > 0) object.quaternion.setFromUnitVectors(zAxis, span.divideScalar(length));
  }

  private addJoints(): void {
    const dark = this.remember(this.ink, new MeshStandardMaterial({ roughness: 0.6 }));
    for (const j of this.poses.scene.joints) {
      const from = () => new Vector3(...this.poses.endPoint(j.from, this.time));
      const to = () => new Vector3(...this.poses.endPoint(j.to, this.time));
      for (const [e, at] of [[j.from, from], [j.to, to]] as const) if (e.body < 0) this.support(at, dark);
      if (isLink(j.type)) {
        const rod = this.bar(new Vector3(), zAxis, j.type === 'rod' ? 0.009 : 0.004, dark);
        this.world.add(rod);
        this.updates.push(() => this.stretch(rod, from(), to()));
      } else if (isSlide(j.type) && j.axis) {
        this.rail(j.from, j.to, j.axis, dark);
      } else if (j.type !== 'fixed') {
        const r = 0.02 * this.scale;
        const pin = j.axis && j.type === 'revolute';
        const geometry = pin
          ? new CylinderGeometry(r, r, 3.2 * r, 20).rotateX(Math.PI / 2)
          : new SphereGeometry(r, 16, 12);
        const mark = new Mesh(geometry, dark);
        this.world.add(mark);
        this.updates.push((t) => {
          mark.position.copy(to());
          if (!j.axis || !pin) return;
          const axis = new Vector3(...j.axis);
          if (j.from.body >= 0) axis.applyQuaternion(this.attitude(j.from.body, t));
          mark.quaternion.setFromUnitVectors(zAxis, axis);
        });
      }
    }
  }

  private support(at: () => Vector3, material: Material): void {
    const edge = 0.035 * this.scale;
    const mark = new Mesh(new SphereGeometry(edge * 0.6, 4, 2), material);
    this.world.add(mark);
    this.updates.push(() => mark.position.copy(at()));
  }

  // As long as the slide goes.
  private rail(fromEnd: Parameters<Poses['endPoint']>[0], toEnd: typeof fromEnd, axis: Vector, material: Material): void {
    let low = 0;
    let high = 0;
    const direction = (t: number) => {
      const a = new Vector3(...axis);
      return fromEnd.body >= 0 ? a.applyQuaternion(this.attitude(fromEnd.body, t)) : a;
    };
    for (const t of this.poses.sampleTimes(200)) {
      const span = new Vector3(...this.poses.endPoint(toEnd, t)).sub(new Vector3(...this.poses.endPoint(fromEnd, t)));
      const along = span.dot(direction(t));
      low = Math.min(low, along);
      high = Math.max(high, along);
    }
    const margin = 0.08 * this.scale;
    const rail = this.bar(new Vector3(), zAxis, 0.008, material);
    this.world.add(rail);
    this.updates.push((t) => {
      const a = direction(t);
      const p = new Vector3(...this.poses.endPoint(fromEnd, t));
      this.stretch(rail, p.clone().addScaledVector(a, low - margin), p.clone().addScaledVector(a, high + margin));
    });
  }

  private addSprings(): void {
    const dark = this.remember(this.ink, new MeshStandardMaterial({ roughness: 0.5 }));
    for (const s of this.poses.scene.springs) {
      const wire = 0.006 * this.scale;
      const coil = new Mesh(new TubeGeometry(new Helix(9, 0.03 * this.scale), 220, wire, 6), dark);
      this.world.add(coil);
      const end = (e: typeof s.from, t: number) => new Vector3(...this.poses.endPoint(e, t));
      if (s.from.body < 0) this.support(() => end(s.from, this.time), dark);
      if (s.to.body < 0) this.support(() => end(s.to, this.time), dark);
      this.updates.push((t) => this.stretch(coil, end(s.from, t), end(s.to, t)));
    }
  }

  private addSurfaces(): void {
    let hasFloor = false;
    for (const s of this.poses.scene.surfaces) {
      const normal = new Vector3(...s.normal);
      let width = 2.6 * this.scale;
      let height = width;
      const center = new Vector3(...this.size.center);
      const turn = new Quaternion().setFromUnitVectors(zAxis, normal);
      if (s.type === 'wall') {
        [width, height] = [s.width, s.height];
        center.set(...s.center);
        const along = new Vector3(...s.along);
        along.addScaledVector(normal, -along.dot(normal)).normalize();
        const now = xAxis.clone().applyQuaternion(turn);
        const about = Math.atan2(now.clone().cross(along).dot(normal), now.dot(along));
        turn.premultiply(new Quaternion().setFromAxisAngle(normal, about));
      } else {
        center.addScaledVector(normal, -normal.dot(center.clone().sub(new Vector3(...s.point))));
        hasFloor ||= dot(s.normal, this.size.up) > 0.99;
      }
      const geometry = new PlaneGeometry(width, height);
      const skin = new MeshStandardMaterial({ side: DoubleSide, transparent: true, opacity: 0.28, depthWrite: false });
      const sheet = new Mesh(geometry, this.remember(this.faint, skin));
      sheet.add(new LineSegments(new EdgesGeometry(geometry), this.remember(this.faint, new LineBasicMaterial())));
      sheet.position.copy(center);
      sheet.quaternion.copy(turn);
      this.world.add(sheet);
    }
    if (!hasFloor) this.addGrid();
  }

  private addGrid(): void {
    const up = new Vector3(...this.size.up);
    const drop = Math.min(...[0, 1, 2, 3, 4, 5, 6, 7].map((corner) => {
      const p = [0, 1, 2].map((k) => ((corner >> k) & 1 ? this.size.high[k] : this.size.low[k])) as Vector;
      return dot(p, this.size.up);
    }));
    const grid = new GridHelper(3 * this.scale, 12);
    const material = grid.material as LineBasicMaterial;
    material.vertexColors = false;
    material.transparent = true;
    material.opacity = 0.35;
    this.remember(this.faint, material);
    grid.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), up);
    const center = new Vector3(...this.size.center);
    grid.position.copy(center).addScaledVector(up, drop - center.dot(up) - 0.05 * this.scale);
    this.world.add(grid);
  }

  private addFlashes(): void {
    const most = Math.min(24, this.impacts.length);
    for (let i = 0; i < most; ++i) {
      const glow = new MeshBasicMaterial({ color: 0xffc400, transparent: true, depthTest: false });
      const flash = new Mesh(new SphereGeometry(1, 20, 14), glow);
      flash.visible = false;
      flash.renderOrder = 10;
      this.flashes.push(flash);
      this.world.add(flash);
    }
  }

  private showFlashes(t: number): void {
    const lasting = flashSeconds * this.speed();
    let used = 0;
    for (const e of this.impacts) {
      const age = (t - e.time) / lasting;
      if (age < 0 || age >= 1 || used >= this.flashes.length) continue;
      const flash = this.flashes[used++];
      flash.visible = true;
      flash.position.set(...e.point!);
      flash.scale.setScalar(this.scale * (0.03 + 0.07 * age));
      (flash.material as MeshBasicMaterial).opacity = 0.9 * (1 - age);
    }
    for (; used < this.flashes.length; ++used) this.flashes[used].visible = false;
  }

  private remember<M>(list: M[], material: M): M {
    list.push(material);
    return material;
  }

  private attitude(body: number, t: number): Quaternion {
    const [w, x, y, z] = this.poses.rotation(body, t);
    return new Quaternion(x, y, z, w);
  }

  show(t: number): void {
    this.time = t;
    this.bodies.forEach((group, i) => {
      group.position.set(...this.poses.position(i, t));
      group.quaternion.copy(this.attitude(i, t));
    });
    for (const update of this.updates) update(t);
    this.showFlashes(t);
    const row = this.poses.table.rowAt(t);
    for (const { line } of this.traces) line.geometry.setDrawRange(0, row + 1);
    this.render();
  }

  setTraces(chosen: TracePoint[]): void {
    for (const { line } of this.traces) {
      this.world.remove(line);
      line.geometry.dispose();
    }
    this.traces.length = 0;
    chosen.forEach((trace, i) => {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new Float32BufferAttribute(trace.path().flat(), 3));
      const line = new Line(geometry, new LineBasicMaterial({ color: bodyColour(i + 1) }));
      line.frustumCulled = false;
      this.traces.push({ line, colour: bodyColour(i + 1) });
      this.world.add(line);
    });
    this.show(this.time);
  }

  setPalette(palette: Palette): void {
    for (const m of this.ink) m.color = new Color(palette.ink);
    for (const m of this.faint) m.color = new Color(palette.faint);
    this.render();
  }

  resetCamera(): void {
    const back = new Vector3(...this.size.toCamera);
    const right = new Vector3().crossVectors(new Vector3(...this.size.up), back).normalize();
    const above = new Vector3().crossVectors(back, right);
    const center = this.middle(right, above);
    // Far enough that everything fits: each spot asks for its own distance.
    const tall = Math.tan((this.camera.fov * Math.PI) / 360);
    const wide = tall * this.camera.aspect;
    let distance = this.scale / 10;
    for (const { at, reach: r } of this.size.spots) {
      const d = new Vector3(...at).sub(center);
      const [x, y] = [Math.abs(d.dot(right)) + r, Math.abs(d.dot(above)) + r];
      distance = Math.max(distance, d.dot(back) + (1.12 * Math.max(x / wide, y / tall) + r));
    }
    this.camera.position.copy(center).addScaledVector(back, distance);
    this.controls.target.copy(center);
    this.controls.update();
    this.render();
  }

  // The middle of what is seen, as it appears on the screen.
  private middle(right: Vector3, above: Vector3): Vector3 {
    const center = new Vector3(...this.size.center);
    const mid = (axis: Vector3) => {
      const along = this.size.spots.map(({ at, reach: r }) => [new Vector3(...at).sub(center).dot(axis), r]);
      return (Math.min(...along.map(([s, r]) => s - r)) + Math.max(...along.map(([s, r]) => s + r))) / 2;
    };
    return center.addScaledVector(right, mid(right)).addScaledVector(above, mid(above));
  }

  private fitted = false;
  private fit(): void {
    const { clientWidth: w, clientHeight: h } = this.element;
    if (w === 0 || h === 0) return;
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    if (!this.fitted) this.resetCamera();
    this.fitted = true;
    this.render();
  }

  private render(): void {
    this.renderer.render(this.world, this.camera);
  }

  project(p: Vector): [number, number] {
    this.camera.updateMatrixWorld();
    const v = new Vector3(...p).project(this.camera);
    return [((v.x + 1) / 2) * this.element.clientWidth, ((1 - v.y) / 2) * this.element.clientHeight];
  }

  drawnPosition(body: number): Vector {
    const p = new Vector3();
    this.bodies[body].updateWorldMatrix(true, false);
    this.bodies[body].getWorldPosition(p);
    return [p.x, p.y, p.z];
  }

  dispose(): void {
    this.observer.disconnect();
    this.controls.dispose();
    this.world.traverse((o) => {
      if (!(o instanceof Mesh || o instanceof Line)) return;
      o.geometry.dispose();
      for (const m of [o.material].flat()) m.dispose();
    });
    this.element.remove();
  }

  // The point of view, to take over into the next view of the same model.
  get viewpoint(): { camera: Vector3; target: Vector3 } {
    return { camera: this.camera.position.clone(), target: this.controls.target.clone() };
  }
  set viewpoint(v: { camera: Vector3; target: Vector3 }) {
    this.fitted = true;
    this.camera.position.copy(v.camera);
    this.controls.target.copy(v.target);
    this.controls.update();
    this.render();
  }
}
