// Builders: robots from calls, where there is no URDF, or to add what URDF has no words for.
'use strict';
const { Handle, Model, support } = require('./index.js');
const { call, find, given, options } = support;

class Builder extends Handle {
  static load(path, how) {
    return Builder.#made('tenon_builder_load_urdf', [String(path)], how);
  }

  static parse(urdf, how) {
    const bytes = Buffer.from(urdf);
    return Builder.#made('tenon_builder_parse_urdf', [bytes, bytes.length], how);
  }

  static #made(name, source, how) {
    const builder = [null];
    call(name, ...source, options('tenon_model_options', how), builder);
    return new Builder(null, builder[0]);
  }

  constructor(name, pointer = null) {
    const builder = [pointer];
    if (pointer === null) call('tenon_builder_create', String(name), builder);
    super(builder[0], 'tenon_builder_destroy');
  }

  linkIndex(link) {
    return find('tenon_builder_find_link', this, link);
  }

  addLink(name, { mass = 0, centerOfMass, inertia } = {}) {
    const index = [-1];
    call('tenon_builder_add_link', this.pointer, name, mass, ...given(centerOfMass), ...given(inertia), index);
    return index[0];
  }

  addJoint(name, parent, child, how) {
    const links = { parentLink: this.linkIndex(parent), childLink: this.linkIndex(child) };
    call('tenon_builder_add_joint', this.pointer, name, options('tenon_joint_options', { ...how, ...links }));
  }

  addFrame(name, link, pose) {
    call('tenon_builder_add_frame', this.pointer, name, this.linkIndex(link), ...given(pose));
  }

  addLoop(name, link, secondLink, how) {
    const links = { link: this.linkIndex(link), secondLink: this.linkIndex(secondLink) };
    call('tenon_builder_add_loop', this.pointer, name, options('tenon_loop_options', { ...how, ...links }));
  }

  addCoupling(name, dependent, independent, ratios, offsets) {
    const joints = [dependent, dependent.length, independent, independent.length];
    const matrix = [...given(ratios), dependent.length];
    call('tenon_builder_add_coupling', this.pointer, name, ...joints, ...matrix, ...given(offsets));
  }

  addGear(name, link, secondLink, ratio, offset = 0) {
    const links = [this.linkIndex(link), this.linkIndex(secondLink)];
    call('tenon_builder_add_gear', this.pointer, name, ...links, ratio, offset);
  }

  finish(how) {
    const model = [null];
    call('tenon_builder_finish', this.pointer, options('tenon_model_options', how), model);
    return new Model(model[0]);
  }
}

module.exports = Builder;
